import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-error.ts";
import { addToList } from "./add-to-list.ts";
import { nameForms, type NameForms } from "./name-forms.ts";

const domains = join(import.meta.dirname, "..", "..", "..", "..", "packages", "domains", "src");
const files = join(import.meta.dirname, "files");

/** The files of a domain in the order of an event's life, each with its template. */
const layout = ({ name }: NameForms) =>
  [
    [`${name}.ts`, "domain.ts.txt"],
    ["event.ts", "event.ts.txt"],
    [`migrations/001-${name}.sql`, "migration.sql.txt"],
    ["routes.ts", "routes.ts.txt"],
    ["store.ts", "store.ts.txt"],
    ["rank.ts", "rank.ts.txt"],
    ["rank.test.ts", "rank.test.ts.txt"],
    ["recount.ts", "recount.ts.txt"],
    ["queries.ts", "queries.ts.txt"],
    ["workload.ts", "workload.ts.txt"],
  ] as const;

/**
 * Creates the folder of a new domain in this checkout and adds the domain to the lists. Returns its files. Throws a CommandError, before any
 * change, for a name that is invalid or taken.
 */
export async function layOut(wanted: string): Promise<readonly string[]> {
  const forms = nameForms(wanted);
  const { name } = forms;
  const planned = layout(forms);
  const taken = [name, `${name}.ts`].find((path) => existsSync(join(domains, path)));
  if (taken !== undefined) throw new CommandError(`NAME: packages/domains/src/${taken} exists already`, 2);
  const [, ...others] = planned;
  const twice = others.find(([path]) => path === `${name}.ts`);
  if (twice !== undefined) throw new CommandError(`NAME: every domain has a file ${twice[0]}; choose another`, 2);
  const listed = await Promise.all(
    (["domains.ts", "workloads.ts"] as const).map(async (file) => {
      const path = join(domains, file);
      return [path, addToList(file, await readFile(path, "utf8"), forms)] as const;
    }),
  );
  const texts = await Promise.all(planned.map(async ([path, from]) => [path, await textOf(from, forms)] as const));

  await mkdir(join(domains, name, "migrations"), { recursive: true });
  for (const [path, text] of texts) await writeFile(join(domains, name, path), text, { flag: "wx" });
  // Last: the system knows the domain from here on.
  for (const [path, text] of listed) await writeFile(path, text);
  return planned.map(([path]) => path);
}

async function textOf(file: string, { name, camel, pascal, snake }: NameForms): Promise<string> {
  const text = await readFile(join(files, file), "utf8");
  return text
    .replaceAll("{{name}}", name)
    .replaceAll("{{camel}}", camel)
    .replaceAll("{{Pascal}}", pascal)
    .replaceAll("{{snake}}", snake);
}
