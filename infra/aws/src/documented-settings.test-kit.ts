import { readFileSync } from "node:fs";

const file = new URL("../../../docs/settings.md", import.meta.url);
const sections = {
  gateway: ["Gateway"],
  writer: ["Writer and ranker", "Writer"],
  ranker: ["Writer and ranker", "Ranker"],
  admin: ["Commands that use a gateway"],
} as const;

/** The settings of each image, from the tables of docs/settings.md. It is made of the code. */
export function documentedSettings(): Readonly<Record<string, ReturnType<typeof rowsOf>>> {
  const text = readFileSync(file, "utf8");
  return Object.fromEntries(
    Object.entries(sections).map(([image, titles]) => [
      image,
      ["All apps", ...titles].flatMap((title) => rowsOf(text, title)),
    ]),
  );
}

function rowsOf(text: string, title: string) {
  const [, section] = text.split(`\n### ${title}\n`);
  if (section === undefined) throw new Error(`docs/settings.md: expected the section "### ${title}"`);
  const [table = ""] = section.split("\n#");
  const rows = [...table.matchAll(/^\| `([A-Z_]+)` +\| ([^|]+)\| ([^|]+)\|/gm)];
  if (rows.length === 0) throw new Error(`docs/settings.md: expected a table of settings in "### ${title}"`);
  return rows.map(([, variable = "", expected = "", preset = ""]) => ({
    variable,
    preset: preset.trim().replaceAll("`", ""),
    mustBeSet: preset.trim() === "must be set",
    /** A URL of a server: it has a password. */
    isAddress: /\b(amqps?|mysql|rediss?):\/\//.test(expected),
  }));
}
