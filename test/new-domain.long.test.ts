import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type * as Kit from "@tally/bench/kit";
import { newEventId } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { root as checkout } from "./kit/programs.ts";
import { batchOf, openPublisher } from "./kit/publish.ts";
import { cellsOfBoards, startSystem } from "./kit/system.ts";
import { auditOf, runTally as tallyOn } from "./kit/tally.ts";

/* docs/new-domain.md in a copy of the sources: its files, the lines that it adds to the lists, and its commands. */

const guide = readGuide(join(import.meta.dirname, "..", "docs", "new-domain.md"));
const name = "parking";
const linesMax = 180;

const left = new Set([".git", ".tally", ".turbo", "node_modules", join("bench", "results")]);
const root = await copyOfSources();
const domains = join(root, "packages", "domains", "src");
const workloads = join(root, "bench", "kit", "workloads");

const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n");
/** Adds the domain to a list of all domains. */
async function addTo(path: string, imported: string): Promise<void> {
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/= \[[\w, ]+\];/);
  await writeFile(
    path,
    text.replace(/(= \[[\w, ]+)\];/, `$1, ${name}];`).replace(/^import \w* *\{ .* from ".\//m, `${imported}\n$&`),
  );
}
/** Runs a tool in the copy. Throws with its output. */
async function run(...[tool = "", ...args]: readonly string[]): Promise<void> {
  const bin = join(root, "node_modules", ".bin");
  const env = { PATH: `${bin}${delimiter}${process.env["PATH"]}`, NO_COLOR: "1", TURBO_TELEMETRY_DISABLED: "1" };
  await promisify(execFile)(tool, args, { cwd: root, env }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${tool}\n${error.stdout}${error.stderr}`);
  });
}

for (const { path, text } of guide.files) {
  const file = path.includes("/workloads/") ? join(root, path) : join(domains, name, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
await addTo(join(domains, "domains.ts"), `import { ${name} } from "./${name}/${name}.ts";`);
await addTo(join(workloads, "workloads.ts"), `import { workload as ${name} } from "./${name}.ts";`);
const system = await startSystem({}, { root });

test("has at most 180 lines, with its lines in the lists", () => {
  const ofLists = 4; // an import and an entry in each
  expect(guide.files.flatMap(({ text }) => linesOf(text)).length + ofLists).toBeLessThanOrEqual(linesMax);
});

test("pass the checks of format, lint, types, boundaries and unused code", async () => {
  // Only what changes: the rest is checked in this checkout.
  const types = { extends: "../../tsconfig.json", include: ["src"] };
  await run("oxfmt", "--check", "packages/domains", workloads, "docs/new-domain.md");
  await writeFile(join(domains, "..", "tsconfig.json"), JSON.stringify(types));
  await run("tsc", "--noEmit", "--project", "packages/domains/tsconfig.json");
  await run("tsc", "--noEmit", "--project", "bench/tsconfig.json");
  await run("oxlint", "--type-aware", "--deny-warnings", join(domains, name), workloads);
  await run("turbo", "boundaries", "--no-color");
  await run("knip", "--workspace", "packages/domains");
});

test("each command of the guide prints what the guide shows", async () => {
  // Times and durations differ.
  const normalized = (text: string): string =>
    text
      .trimEnd()
      .replace(/"20\d\d-[^"]+Z"/, '"(time)"')
      .replace(/\d+\.\d s$/, "(time) s");
  const printed = async (line: string): Promise<string> => {
    if (line.startsWith("curl ")) return curl(line.replace("http://127.0.0.1:8080", system.url));
    const [pnpm, command, ...args] = line.split(" ");
    expect([pnpm, command]).toEqual(["pnpm", "tally"]);
    return (await tallyOn(system, args)).output;
  };
  for (const command of guide.commands) {
    const expected = normalized(command.printed);
    if (/^curl .*-X POST/.test(command.line)) expect(normalized(await printed(command.line))).toBe(expected);
    // Rankings, rows and the replica follow after a moment.
    else await expect.poll(async () => normalized(await printed(command.line))).toBe(expected);
  }
  expect(guide.commands.length).toBeGreaterThan(3);
});

test("accepts its own workload, its poison event becomes a dead letter, and the audit agrees", async () => {
  const { workloadOf }: typeof Kit = await import(join(root, "bench", "kit", "index.ts"));
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

  const poison = { ...workload.poison, id: newEventId() };
  const publish = await openPublisher(system, name);
  await publish(batchOf([poison]));
  await vi.waitFor(async () => {
    const { output } = await tallyOn(system, ["dead-letters", "list", "--json", "--domain", name]);
    expect(JSON.parse(output)).toEqual([expect.objectContaining({ id: poison.id, stage: "rejected", event: poison })]);
  }, 60_000);

  // `ids` has no events of the guide's commands.
  expect(await auditOf(system, ids, "--domain", name)).toMatchObject({ agrees: true, audit: { lost: 0, doubled: 0 } });
  const units = requests.reduce((sum, one) => sum + (one.units ?? Number.NaN), 0);
  expect(await sumOfBoards()).toBe(unitsBefore + units);
});

/** What a curl command prints; with -i only the status line. */
async function curl(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", line.replace("curl ", "curl --silent ")]);
  return line.includes(" -i ") ? stdout.split("\r\n", 1).join() : stdout;
}

/** Copies this checkout as it is now: a test may change the copy and run it. It shares the installed packages. Returns
 * its folder. */
async function copyOfSources(): Promise<string> {
  // Outside of this checkout, whose tools skip ignored folders.
  const copy = await realpath(await temporaryDirectory());
  await cp(checkout, copy, {
    recursive: true,
    // The links of the workspace's packages to each other lead to the copies.
    verbatimSymlinks: true,
    filter: (source) => !left.has(relative(checkout, source)),
  });
  await symlink(join(checkout, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** The code blocks of a document: files, each below a heading with its path, and commands with their output. Throws for
 * another block. */
function readGuide(document: string) {
  const files: { readonly path: string; readonly text: string }[] = [];
  const commands: { readonly line: string; readonly printed: string }[] = [];
  let path = "";
  const parts = readFileSync(document, "utf8").matchAll(/^## `(.+?)`|^```(\w*)\n([\s\S]*?)^```$/gm);
  for (const [, heading, language = "", block = ""] of parts) {
    if (heading !== undefined) path = heading;
    else if (language === "ts" || language === "sql") files.push({ path, text: block });
    else if (language === "console") {
      for (const command of block.split(/^\$ /m).slice(1)) {
        const [line = "", ...printed] = command.trim().split("\n");
        commands.push({ line, printed: printed.join("\n") });
      }
    } else throw new Error(`${document}: expected only blocks of ts, sql and console, got:\n${block}`);
  }
  return { files, commands };
}
