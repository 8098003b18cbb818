/** The statements of a migration: parted by ";" at a line's end, without pieces that are only comments. Knows no DELIMITER. */
export function splitStatements(sql: string): readonly string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of [...sql.split(/\r?\n/), ";"]) {
    const end = statementEnd.exec(line);
    lines.push(end?.[1] ?? line);
    if (end === null) continue;
    if (lines.some((text) => text.trim() !== "" && !text.trimStart().startsWith("--")))
      statements.push(lines.join("\n").trim());
    lines = [];
  }
  return statements;
}

// Code and quoted texts, then the ";", then perhaps a comment: a ";" that ends a comment ends no statement.
const statementEnd = /^((?:[^'"-]|'[^']*'|"[^"]*"|-(?!-))*);\s*(?:--.*)?$/;
