import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandTables } from "./commands-reference.ts";
import { errorTables } from "./errors-reference.ts";
import { metricTables } from "./metrics-reference.ts";
import { settingTables } from "./settings-reference.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");
/** The tables that are made of the code, by document and by the heading above the table. */
const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "commands.md": commandTables(),
  "errors.md": errorTables(),
  "metrics.md": await metricTables(),
  "settings.md": settingTables(),
};

/** The documents with these tables, by their names in docs/. The rest of a document stays as it is. */
export const references = Object.entries(tables).map(([name, ofDocument]) => {
  const before = readFileSync(join(docs, name), "utf8");
  const after = Object.entries(ofDocument).reduce((text, [heading, table]) => {
    const place = new RegExp(`(?<=^#+ ${heading}\\n(?:(?![#|]).*\\n)*)(?:\\|.*\\n)+`, "m");
    if (!place.test(text)) throw new Error(`docs/${name}: expected a table below "${heading}"`);
    return text.replace(place, () => `${table}\n`);
  }, before);
  return { name, before, after };
});

/* `pnpm references` writes them. `oxfmt` formats them afterwards. */
if (import.meta.main) for (const { name, after } of references) writeFileSync(join(docs, name), after);
