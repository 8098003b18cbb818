import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type * as Workloads from "@tally/domains/workloads";
import { runTally } from "@tally/local";
import { encodeBatch, encodeEvent, newEventId } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { auditOf } from "./audit-of.ts";
import { copyOfSources } from "./copy-of-sources.ts";
import { curl, readGuide } from "./guide.ts";
import { openPublisher } from "./open-publisher.ts";
import { cellsOfBoards } from "./rankings-equal-rows.ts";
import { runTally as tallyOn } from "./run-tally.ts";
import { startSystem } from "./start-system.ts";

/* docs/new-domain.md and `tally new-domain`, in a copy of the sources: with the name of the guide, the shortest and the longest. */

const guide = readGuide(join(import.meta.dirname, "..", "docs", "new-domain.md"));
const built = "parking";
const names = [built, "a", "scans-of-all-the-tickets"];
const linesMax = 180;

const root = await copyOfSources();
const domains = join(root, "packages", "domains", "src");

const tally = (...args: readonly string[]) => runTally(root, { PATH: process.env["PATH"] }, args);
const filesOf = async (name: string): Promise<readonly string[]> => {
  const found = await readdir(join(domains, name), { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
};
const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n");
const lists = () => Promise.all(["domains.ts", "workloads.ts"].map((file) => readFile(join(domains, file), "utf8")));
/** Runs a tool in the copy. Throws with its output. */
async function run(...[tool = "", ...args]: readonly string[]): Promise<void> {
  const bin = join(root, "node_modules", ".bin");
  const env = { PATH: `${bin}${delimiter}${process.env["PATH"]}`, NO_COLOR: "1", TURBO_TELEMETRY_DISABLED: "1" };
  await promisify(execFile)(tool, args, { cwd: root, env }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${tool}\n${error.stdout}${error.stderr}`);
  });
}

const listsBefore = await lists();
const created = await tally("new-domain", built);
const listsAfter = await lists();
for (const name of names.slice(1)) expect(await tally("new-domain", name)).toMatchObject({ exitCode: 0 });
const system = await startSystem({}, { root });

test("creates the files of the guide, adds the domain to both lists, and prints what the guide shows", async () => {
  const [command] = guide.commands;
  expect(command?.line).toBe(`pnpm tally new-domain ${built}`);
  expect(created).toMatchObject({ exitCode: 0, output: `${command?.printed}\n` });
  const texts = await Promise.all((await filesOf(built)).map((path) => readFile(path, "utf8")));
  expect(texts.toSorted()).toEqual(guide.files.toSorted());
  const before = new Set(listsBefore.flatMap(linesOf));
  const added = listsAfter.flatMap(linesOf).filter((line) => !before.has(line));
  expect(added).toEqual([
    `import { ${built} } from "./${built}/${built}.ts";`,
    expect.stringMatching(new RegExp(String.raw`^export const domains: .*, ${built}\];$`)),
    `import { workload as ${built} } from "./${built}/workload.ts";`,
    expect.stringMatching(new RegExp(String.raw`^export const workloads: .*, ${built}\];$`)),
  ]);
});

test.each([
  [built, "exists already"],
  ["event", "every domain has a file event.ts"],
  ["../tickets", "expected at most 24 lower-case letters"],
])("rejects the name %s in one line and changes nothing", async (name, why) => {
  const before = [await lists(), await readdir(domains, { recursive: true })];
  const { exitCode, output, errors } = await tally("new-domain", name);
  expect({ exitCode, output }).toEqual({ exitCode: 2, output: "" });
  expect(errors).toMatch(/^tally: NAME: .*\n$/);
  expect(errors).toContain(why);
  expect([await lists(), await readdir(domains, { recursive: true })]).toEqual(before);
});

test.each(names)("%s has at most 180 lines outside tests, with its lines in the lists", async (name) => {
  const files = (await filesOf(name)).filter((path) => !path.endsWith(".test.ts"));
  const texts = await Promise.all(files.map((path) => readFile(path, "utf8")));
  const ofLists = 4; // an import and an entry in each
  expect(texts.flatMap(linesOf).length + ofLists).toBeLessThanOrEqual(linesMax);
});

test("pass the checks of format, lint, types, boundaries and unused code", async () => {
  // Only what changes: the rest is checked in this checkout.
  const types = { extends: "../../tsconfig.json", include: ["src"] };
  await run("oxfmt", "--check", "packages/domains", "docs/new-domain.md");
  await writeFile(join(domains, "..", "tsconfig.json"), JSON.stringify(types));
  await run("tsc", "--noEmit", "--project", "packages/domains/tsconfig.json");
  await run("oxlint", "--type-aware", "--deny-warnings", ...names.map((name) => join(domains, name)));
  await run("turbo", "boundaries", "--no-color");
  await run("knip", "--workspace", "packages/domains");
}, 180_000);

test("pass their own tests", async () => {
  // Without the global set-up, which starts servers.
  const config = join(root, "vitest.own.ts");
  await writeFile(config, "export default {};\n");
  await run("vitest", "run", "--config", config, ...names.map((name) => join(domains, name, "/")));
});

test("each command of the guide prints what the guide shows", async () => {
  // Times and durations differ.
  const normalized = (text: string): string =>
    text
      .trimEnd()
      .replace(/"20\d\d-[^"]+Z"/, '"(time)"')
      .replace(/\d+\.\d s$/, "(time) s");
  const printed = async (line: string): Promise<string> => {
    if (line.startsWith("curl ")) return curl(line, system.url);
    const [pnpm, command, ...args] = line.split(" ");
    expect([pnpm, command]).toEqual(["pnpm", "tally"]);
    return (await tallyOn(system, args)).output;
  };
  for (const command of guide.commands.slice(1)) {
    const expected = normalized(command.printed);
    if (/^curl .*-X POST/.test(command.line)) expect(normalized(await printed(command.line))).toBe(expected);
    // Rankings, rows and the replica follow after a moment.
    else await vi.waitFor(async () => expect(normalized(await printed(command.line))).toBe(expected), 20_000);
  }
  expect(guide.commands.length).toBeGreaterThan(5);
});

test.each(names)("%s is in the API reference, with examples", async (name) => {
  const document: unknown = await (await fetch(`${system.url}/openapi.json`)).json();
  expect(document).toMatchObject({
    tags: expect.arrayContaining([{ name, description: "Cars that enter garages, and the regulars of each garage." }]),
    paths: {
      [`/${name}/garages/{garageID}/cars`]: {
        post: {
          tags: [name],
          requestBody: { content: { "application/json": { examples: { "a car": { value: { plate: "W-1" } } } } } },
        },
      },
    },
  });
});

test.each(names)(
  "%s accepts its own workload, its poison event becomes a dead letter, and the audit agrees",
  async (name) => {
    const { workloadOf }: typeof Workloads = await import(join(domains, "workloads.ts"));
    const workload = workloadOf(name);
    const sumOfBoards = async (): Promise<number> =>
      (await cellsOfBoards(system, name)).reduce((sum, cell) => sum + Number(cell.split(" ").at(-1)), 0);
    const unitsBefore = await sumOfBoards();
    const requests = (["narrow", "wide", "zipf"] as const).flatMap((spread) =>
      Array.from({ length: 30 }, () => workload.next(Math.random, spread)),
    );
    const ids = await Promise.all(
      requests.map(async ({ method, path, body = "" }) => {
        const response = await fetch(system.url + path, {
          method,
          body,
          headers: { "content-type": "application/json" },
        });
        expect(response.status).toBe(201);
        return response.headers.get("tally-event-id") ?? "";
      }),
    );
    const reads = await Promise.all(requests.map(() => fetch(system.url + workload.read(Math.random, "narrow"))));
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));

    const poison = workload.poison(newEventId());
    const publish = await openPublisher(system, name);
    const batch = { producer: randomBytes(8).toString("hex"), sequence: 0 };
    await publish(encodeBatch(batch, Date.now(), [encodeEvent(poison)], 1));
    await vi.waitFor(async () => {
      const { output } = await tallyOn(system, ["dead-letters", "list", "--json", "--domain", name]);
      expect(JSON.parse(output)).toEqual([expect.objectContaining({ id: poison.id, stage: "event", event: poison })]);
    }, 20_000);

    // `ids` has no events of the guide's commands.
    expect(await auditOf(system, ids, "--domain", name)).toMatchObject({
      agrees: true,
      audit: { lost: 0, doubled: 0 },
    });
    const units = requests.reduce((sum, one) => sum + (one.units ?? Number.NaN), 0);
    expect(await sumOfBoards()).toBe(unitsBefore + units);
  },
);
