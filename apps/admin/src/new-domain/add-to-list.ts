import { CommandError } from "../command-error.ts";
import type { NameForms } from "./name-forms.ts";

const importLines = /(?:^import \{ [\w ]+ \} from "\.\/.+";\n)+/m;
const list = /= \[([\w\s,]*)\];/;

const lineMax = 120;

/** The files that list something of every domain, and what each imports from a domain's folder. */
const importOf = {
  "domains.ts": ({ name, camel }: NameForms) => `import { ${camel} } from "./${name}/${name}.ts";\n`,
  "workloads.ts": ({ name, camel }: NameForms) => `import { workload as ${camel} } from "./${name}/workload.ts";\n`,
};

/** The text of such a file with one more domain. Throws a CommandError if the domain is listed or the file has no such list. */
export function addToList(file: keyof typeof importOf, text: string, forms: NameForms): string {
  const path = `packages/domains/src/${file}`;
  const { camel } = forms;
  const imports = importLines.exec(text)?.[0];
  const listed = list.exec(text)?.[1];
  if (imports === undefined || listed === undefined)
    throw new CommandError(`${path}: expected imports of domains, and \`= [...];\` with their names`);
  const names = listed.split(",").flatMap((one) => one.trim() || []);
  if (names.includes(camel)) throw new CommandError(`NAME: ${path} already has ${camel}`, 2);
  return text
    .replace(imports, () => [...(imports.match(/.+\n/g) ?? []), importOf[file](forms)].toSorted(byPath).join(""))
    .replace(/^.*= \[[\w\s,]*\];/m, (line) => formatted(line.slice(0, line.indexOf("= [")), [...names, camel]));
}

function byPath(a: string, b: string): number {
  const path = (line: string): string => line.slice(line.indexOf("./"));
  return path(a) < path(b) ? -1 : 1;
}

/** As oxfmt formats it: on one line if it fits. */
function formatted(front: string, names: readonly string[]): string {
  const line = `${front}= [${names.join(", ")}];`;
  return line.length <= lineMax ? line : `${front}= [\n${names.map((name) => `  ${name},\n`).join("")}];`;
}
