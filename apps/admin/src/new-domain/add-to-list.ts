import { CommandError } from "../exit-for-fault.ts";
import type { NameForms } from "./name-forms.ts";

const importLines = /(?:^import \{ \w+ \} from "\.\/.+";\n)+/m;
const list = /= \[([\w\s,]*)\];/;

const lineMax = 120;

/** The text of domains.ts with one more domain. Throws a CommandError where it has it already, or does not look as it should. */
export function addToList(text: string, { name, camel }: NameForms): string {
  const imports = importLines.exec(text)?.[0];
  const listed = list.exec(text)?.[1];
  if (imports === undefined || listed === undefined) {
    throw new CommandError(
      "packages/domains/src/domains.ts: expected imports of domains, and `= [...];` with their names",
    );
  }
  const names = listed.split(",").flatMap((one) => one.trim() || []);
  if (names.includes(camel)) throw new CommandError(`NAME: packages/domains/src/domains.ts has ${camel} already`, 2);
  const added = `import { ${camel} } from "./${name}/${name}.ts";\n`;
  return text
    .replace(imports, () => [...(imports.match(/.+\n/g) ?? []), added].toSorted(byPath).join(""))
    .replace(/^.*= \[[\w\s,]*\];/m, (line) => inLines(line.slice(0, line.indexOf("= [")), [...names, camel]));
}

function byPath(a: string, b: string): number {
  const path = (line: string): string => line.slice(line.indexOf("./"));
  return path(a) < path(b) ? -1 : 1;
}

/** As the formatter wants it: on one line where it fits. */
function inLines(front: string, names: readonly string[]): string {
  const line = `${front}= [${names.join(", ")}];`;
  return line.length <= lineMax ? line : `${front}= [\n${names.map((name) => `  ${name},\n`).join("")}];`;
}
