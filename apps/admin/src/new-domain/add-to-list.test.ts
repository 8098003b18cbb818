import { expect, test } from "vitest";
import { addToList } from "./add-to-list.ts";
import { nameForms } from "./name-forms.ts";

const listOf = (list: string, ...imports: readonly string[]) =>
  `import type { Domain } from "@tally/contract";\n${imports.join("")}\n/** Every domain. */\nexport const domains: readonly Domain[] = ${list};\n`;
const line = (camel: string, name = camel) => `import { ${camel} } from "./${name}/${name}.ts";\n`;

test("adds the import in the order of paths and the domain at the end", () => {
  expect(
    addToList("domains.ts", listOf("[steps, albums]", line("albums"), line("steps")), nameForms("park-rides")),
  ).toBe(listOf("[steps, albums, parkRides]", line("albums"), line("parkRides", "park-rides"), line("steps")));
});

test("the list of workloads imports each workload under the name of its domain", () => {
  const imported = (camel: string, name = camel) => `import { workload as ${camel} } from "./${name}/workload.ts";\n`;
  const before = listOf("[albums, steps]", imported("albums"), imported("steps"));
  expect(addToList("workloads.ts", before, nameForms("park-rides"))).toBe(
    listOf("[albums, steps, parkRides]", imported("albums"), imported("parkRides", "park-rides"), imported("steps")),
  );
});

test("a list that is too long for one line gets a line for each domain", () => {
  const names = ["aaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbb", "cccccccccccccccccccccccc"];
  const lines = names.map((name) => line(name));
  const long = `[\n${[...names, "d"].map((name) => `  ${name},\n`).join("")}]`;
  expect(addToList("domains.ts", listOf(`[${names.join(", ")}]`, ...lines), nameForms("d"))).toBe(
    listOf(long, ...lines, line("d")),
  );
  expect(addToList("domains.ts", listOf(long, ...lines, line("d")), nameForms("e"))).toContain("  d,\n  e,\n];\n");
});

test("rejects a domain that is listed, and a file without such a list", () => {
  expect(() => addToList("domains.ts", listOf("[a1]", line("a1")), nameForms("a-1"))).toThrow(
    "domains.ts already has a1",
  );
  expect(() => addToList("domains.ts", listOf("all()", line("steps")), nameForms("a"))).toThrow(
    /^packages\/domains\/src\/domains\.ts: /,
  );
});
