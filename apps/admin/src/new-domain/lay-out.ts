import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { addToList } from "./add-to-list.ts";
import { nameForms, type NameForms } from "./name-forms.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const domains = join(root, "packages", "domains", "src");
const guide = join(root, "docs", "new-domain.md");

/** Creates a domain and lists it. Returns its files. Throws a CommandError, before any change, for a name that is invalid or taken. */
export async function layOut(wanted: string): Promise<readonly string[]> {
  const forms = nameForms(wanted);
  const { name } = forms;
  const files = filesOf(await readFile(guide, "utf8"), forms);
  const taken = [name, `${name}.ts`].find((path) => existsSync(join(domains, path)));
  if (taken !== undefined) throw new CommandError(`NAME: packages/domains/src/${taken} exists already`, 2);
  const isTwice = files.filter(([path]) => path === `${name}.ts`).length > 1;
  if (isTwice) throw new CommandError(`NAME: every domain has a file ${name}.ts; choose another`, 2);
  const listed = await Promise.all(
    (["domains.ts", "workloads.ts"] as const).map(async (file) => {
      const path = join(domains, file);
      return [path, addToList(file, await readFile(path, "utf8"), forms)] as const;
    }),
  );

  for (const [path, text] of files) {
    const file = join(domains, name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: "wx" });
  }
  // Last: the system knows the domain from here on.
  for (const [path, text] of listed) await writeFile(path, text);
  return files.map(([path]) => path);
}

/** The files of the guide, in its order, under the new name. A heading names each file, and the next block is its text. */
function filesOf(document: string, forms: NameForms): readonly (readonly [path: string, text: string])[] {
  const blocks = document.matchAll(/^## `(.+?)`[\s\S]*?^```(?:ts|sql)\n([\s\S]*?)^```$/gm);
  return Array.from(blocks, ([, path = "", text = ""]) => [renamed(path, forms), renamed(text, forms)]);
}

function renamed(text: string, { name, camel, pascal, snake }: NameForms): string {
  const names = new Map([
    ["ParkingEvent", `${pascal}Event`],
    ["parking_events", `${snake}_events`],
    ["const parking", `const ${camel}`],
    ["parking", name],
  ]);
  return text.replaceAll(new RegExp([...names.keys()].join("|"), "g"), (match) => names.get(match) ?? match);
}
