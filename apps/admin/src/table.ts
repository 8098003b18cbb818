/** A table as text. A column of numbers is on the right, others on the left. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const isNumeric = cells.length > 0 && cells.every((cell) => /^-?[\d?][\d.]*( |$)/.test(cell));
    const width = Math.max(title.length, ...cells.map((cell) => cell.length));
    return (cell: string): string => (isNumeric ? cell.padStart(width) : cell.padEnd(width));
  });
  const line = (row: readonly string[]): string =>
    columns
      .map((pad, at) => pad(row[at] ?? ""))
      .join("  ")
      .trimEnd();
  return [head, ...rows].map(line).join("\n");
}
