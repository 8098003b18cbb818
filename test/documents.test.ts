import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tallyProgram } from "@tally/admin";
import { domains } from "@tally/domains";
import { gatewayLimits, gatewaySettings } from "@tally/gateway";
import { firstSteps } from "@tally/local";
import { expect, test } from "vitest";
import { freeze, root, runProgram } from "./kit/programs.ts";
import { startSystem } from "./kit/system.ts";
import { references } from "./references/references.ts";

/* Every command, link, path and setting in a document exists, and the README's first steps are run. */

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const documents = globSync(["*.md", "docs/**/*.md", "{apps,packages}/*/README.md", "{infra,bench,test}/**/README.md"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
});
const scriptsOf = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(read(join(folder, "package.json"))).scripts ?? {};
const packages = new Map(
  globSync("{apps,packages,infra,bench,test}{,/*}/package.json", { cwd: root }).map((file) => {
    return [JSON.parse(read(file)).name, dirname(file)];
  }),
);

/** The commands of the blocks of a document, and those in its sentences. A line that ends with a backslash goes on. */
function commandsIn(text: string): readonly string[] {
  const blocks = Array.from(text.matchAll(/^ *```(sh|console)\n([^]*?)^ *```$/gm), ([, kind, block = ""]) => {
    const lines = block.replaceAll(/\\\n\s*/g, "").split("\n");
    return kind === "sh" ? lines : lines.flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  });
  const inSentences = Array.from(text.matchAll(/`(pnpm [^`]+)`/g), ([, command = ""]) => command);
  return [...blocks.flat(), ...inSentences].map((line) => line.replace(/(^|\s)#.*$/, "").trim());
}

const wordsOf = (command: string): readonly string[] => command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];

/** What a command of this repository says about its flags. */
const helps = new Map<string, string>();
function helpOf(main: string, subcommands: readonly string[]): string {
  const args = [join(root, main), ...subcommands, "--help"];
  const key = args.join(" ");
  if (!helps.has(key)) helps.set(key, spawnSync(process.execPath, args, { encoding: "utf8" }).output.join(""));
  return helps.get(key) ?? "";
}

/** The flags that a program does not know, and a subcommand that it does not have. */
function unknownIn(main: string, words: readonly string[]): readonly string[] {
  if (main === "apps/admin/src/main.ts") return unknownInTally(words);
  const all = helpOf(main, []);
  const subcommands = words.slice(0, 1).filter((word) => /^\w/.test(word) && new RegExp(`^  ${word} `, "m").test(all));
  let help = helpOf(main, subcommands);
  const [, preset] = /^  (\w+) .*\n? *.*the default command$/m.exec(help) ?? [];
  if (subcommands.length === 0 && preset !== undefined) help += helpOf(main, [preset]);
  return words.filter((word) => /^--\w/.test(word) && !help.includes(word.split("=", 1).join()));
}

function unknownInTally(words: readonly string[]): readonly string[] {
  let command = tallyProgram();
  for (const word of words.filter((one) => !one.startsWith("-"))) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined && command.commands.length > 0 && command.registeredArguments.length === 0) return [word];
    if (inner === undefined) break;
    command = inner;
  }
  const known = new Set(["--help", ...command.options.map(({ long }) => long)]);
  return words.filter((word) => /^--\w/.test(word) && !known.has(word.split("=", 1).join()));
}

function wrongInPnpm([first = "", ...rest]: readonly string[]): readonly string[] {
  if (["install", "exec", "add"].includes(first)) return [];
  if (first === "--filter") {
    const [name = "", script = ""] = rest;
    const folder = packages.get(name);
    return folder !== undefined && script in scriptsOf(folder) ? [] : [`${name} ${script}`];
  }
  const script = scriptsOf(".")[first];
  if (script === undefined) return [first];
  const main = /^node (?:--\S+ )*(\S+\/main\.ts)$/.exec(script)?.[1];
  return main === undefined ? [] : unknownIn(main, rest);
}

// Files that commands of the documents write.
const written =
  /^(bench\/(results|kit\/workloads\/parking\.ts)|infra\/(\.env|secrets|aws\/cdk\.out)|packages\/domains\/src\/parking)/;
const isAbsent = (path: string): boolean => !existsSync(join(root, path)) && !written.test(path);

function wrongIn(command: string): readonly string[] {
  const words = wordsOf(command).filter((word) => !/^\w+=/.test(word));
  const [program = "", ...rest] = words;
  // "…" stands for anything, in sentences.
  if (command.includes("…")) return [];
  if (program === "pnpm") return wrongInPnpm(rest);
  if (program === "npx" && rest[1] === "pnpm@12") return wrongInPnpm(rest.slice(2));
  return rest.filter((word) => /^(apps|packages|infra|bench|docs|test|\.ci)\/[\w./-]*$/.test(word)).filter(isAbsent);
}

// History names what was there. new-domain.long.test.ts runs the commands of its guide.
const isHistory = (name: string): boolean => /^docs\/decisions\/|CHANGELOG/.test(name);
const current = documents.filter((name) => !isHistory(name) && name !== "docs/new-domain.md");

test.each(current)("every command in %s has a script, and flags that it knows", (name) => {
  const wrong = commandsIn(read(name)).map((command) => ({ command, words: wrongIn(command) }));
  expect(wrong.filter(({ words }) => words.length > 0)).toEqual([]);
});

/** As code hosts name the anchors of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.toLowerCase().matchAll(/^#+ (.+)$/gm);
  return new Set(Array.from(headings, ([, one = ""]) => one.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")));
}

test.each(documents)("every link and path in %s leads to something", (name) => {
  // Code blocks have no links.
  const text = read(name).replaceAll(/^ *```.*?^ *```$/gms, "");
  const links = Array.from(text.matchAll(/\]\(([^):]*?)(?:#([^)]*))?\)/g), ([, to = "", anchor]) => ({
    target: to === "" ? name : join(dirname(name), to),
    anchor,
  }));
  const named = text.matchAll(/`((?:apps|packages|infra|bench|docs|test)\/[\w./-]*\w)\/?`/g);
  const paths = isHistory(name) ? [] : Array.from(named, ([, target = ""]) => ({ target, anchor: undefined }));
  const wrong = [...links, ...paths].filter(({ target, anchor }) => {
    if (!existsSync(join(root, target))) return isAbsent(target);
    return anchor !== undefined && target.endsWith(".md") && !anchorsOf(read(target)).has(anchor);
  });
  expect(wrong).toEqual([]);
});

// The formatter pads tables and wraps lines.
const unpadded = (text: string): string => text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ");

test.each(references)("the tables of $name are as `pnpm references` writes them", ({ before, after }) => {
  expect(unpadded(before)).toBe(unpadded(after));
});

// Names of Node, MySQL and shell variables; NAME_FILE stands for several settings.
const notOurs = "AFTER_SYNC JSON_TABLE MASTER_GTID_WAIT NAME_FILE NODE_COMPILE_CACHE STOP_FILE".split(" ");

test("every setting and error that a document names exists", () => {
  const compose = globSync(["infra/compose*.yaml", "infra/Dockerfile"], { cwd: root }).map(read).join("");
  const known = references.map(({ after }) => after).join("");
  const unknown = documents.flatMap((document) =>
    Array.from(read(document).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g), ([, name = ""]) => name)
      .filter((name) => !notOurs.includes(name) && !known.includes(`\`${name}\``) && !compose.includes(`{${name}`))
      .map((name) => `${document}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test("a gateway has the memory that docs/containers.md sums up in Compose, on EC2 and in AWS", () => {
  const [connections, bodies] = [gatewaySettings.connectionsMax.default, gatewaySettings.bodiesBytesMax.default];
  const { waitingBytesMax } = gatewayLimits;
  const needed = 16_384 * Number(connections) + 2 * Number(bodies) + domains.length * waitingBytesMax + 512e6;
  const text = unpadded(read("docs/containers.md"));
  expect(text).toContain(`${waitingBytesMax / 2 ** 20} MiB of waiting events for each domain`);
  expect(text).toContain(`${(needed / 1e9).toFixed(1)} GB with the defaults`);
  const limits = [
    ["infra/compose.production.yaml", /limits: .*memory: "\$\{TALLY_APP_MEMORY:-(\d+)G\}"/, 2 ** 30],
    ["infra/ec2/app.sh", /8083" MEMORY=(\d+)g/, 2 ** 30],
    ["infra/aws/src/sizes.ts", /gateway: .*memory: (\d+)/, 2 ** 20],
  ] as const;
  for (const [file, limit, unit] of limits)
    expect([file, unit * Number(limit.exec(read(file))?.[1])]).toEqual([
      file,
      expect.toSatisfy((bytes: number) => bytes >= needed),
    ]);
});

test("the README's first steps, pasted at once, show the purchase, however late the ranker is", async () => {
  const [, block = ""] = /^```console\n([^]*?)^```$/m.exec(read("README.md")) ?? [];
  const steps = (block.match(/^\$ (?:.*\\\n)*.*$/gm) ?? []).map((command) => command.slice(2)).join("\n");
  const unindented = (text: string): string => text.replaceAll(/^ +/gm, "");
  // `pnpm dev` prints the same.
  expect(unindented(steps)).toBe(unindented(firstSteps("http://127.0.0.1:8080").join("\n")));
  const system = await startSystem();
  await freeze(system.ranker);
  const running = runProgram("bash", ["-c", steps.replaceAll("http://127.0.0.1:8080", system.url)]);
  // The ranking is read before it can have the purchase.
  setTimeout(() => system.ranker.kill("SIGCONT"), 1500);
  const { exitCode, output } = await running;
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^HTTP\/1\.1 201 Created\r$[^]*^tally-event-id: [0-9a-f-]{36}\r$/m);
  expect(output.trim().split("\n").at(-1)).toBe('{"stores":[{"itemID":85571,"numberOfItems":3}]}');
});

test("the README of the client shows the till that the tests run, of at most twenty lines", () => {
  const till = read("packages/client/examples/till.ts");
  expect(read("packages/client/README.md")).toContain(`\`\`\`ts\n${till}\`\`\``);
  expect(till.trim().split("\n").length).toBeLessThanOrEqual(20);
});
