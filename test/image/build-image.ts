import { execFile } from "node:child_process";
import { chmod, copyFile, cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, matchesGlob, relative } from "node:path";
import { promisify } from "node:util";
import { root as checkout } from "../kit/programs.ts";

/** What the last stage of a Dockerfile says, with its files in a folder of this machine. */
export interface Image {
  /** The folder with its root file system: what the instructions put there, without the base image except its Node. */
  readonly root: string;
  /** In the image. */
  readonly workdir: string;
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly healthCheck: readonly string[];
}

interface Stage extends Image {
  readonly args: Readonly<Record<string, string>>;
}

const nothing = { root: "", workdir: "/", user: "root", environment: {}, entrypoint: [], healthCheck: [], args: {} };

/** Carries out infra/Dockerfile for an app in the folder `into`, without a container engine: copies files, and runs
 * each RUN in the folder of its stage. The stage `tools` installs nothing: its programs are those of this checkout.
 * Packages come from pnpm's store where it has them. */
export async function buildImage(app: string, into: string): Promise<Image> {
  const text = await readFile(join(checkout, "infra", "Dockerfile"), "utf8");
  const lines = text.replaceAll(/^#.*$/gm, "").replaceAll(/\\\n/g, "");
  const programs = await toolsIn(join(into, "programs"));
  const stages = new Map<string, Stage>();
  let [name, stage]: [string, Stage] = ["", nothing];
  for (const [, keyword = "", said = ""] of lines.matchAll(/^(\S+) +(.+)$/gm)) {
    const values = { ...stage.args, ...stage.environment };
    const words = said.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => values[variable] ?? "").split(/\s+/);
    if (keyword === "FROM") {
      const [image = "", , named = "image"] = words;
      name = named;
      stage = { ...(stages.get(image) ?? nothing), root: join(into, name), args: {} };
      await fillFrom(stages.get(image), stage.root);
    } else if (keyword === "RUN") {
      if (name !== "tools") await run(said, stage, programs);
    } else if (keyword === "COPY") await copyInto(stage, words, stages);
    else stage = { ...stage, ...changeOf(keyword, words, said, stage, app) };
    if (keyword === "WORKDIR") await mkdir(stage.root + stage.workdir, { recursive: true });
    stages.set(name, stage);
  }
  return stage;
}

/** What an instruction that runs and copies nothing changes in its stage. */
function changeOf(keyword: string, words: readonly string[], said: string, stage: Stage, app: string): Partial<Stage> {
  const [first = ""] = words;
  const pairs = words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]);
  switch (keyword) {
    case "ARG":
      return { args: { ...stage.args, ...(first === "APP" ? { APP: app } : Object.fromEntries(pairs)) } };
    case "ENV":
      return { environment: { ...stage.environment, ...Object.fromEntries(pairs) } };
    case "WORKDIR":
      return { workdir: first };
    case "USER":
      return { user: first };
    // In another form than a JSON array they would run in a shell.
    case "HEALTHCHECK":
      return { healthCheck: JSON.parse(said.replace(/^.* CMD /, "")) };
    case "ENTRYPOINT":
      return { entrypoint: JSON.parse(said) };
    case "EXPOSE":
      return {};
    default:
      throw new TypeError(`${keyword}: this test cannot carry it out`);
  }
}

/** Fills the folder of a new stage: with the files of another stage, or with Node. */
async function fillFrom(from: Stage | undefined, root: string): Promise<void> {
  const bin = join(root, "usr", "local", "bin");
  await mkdir(bin, { recursive: true });
  if (from === undefined) await copyFile(process.execPath, join(bin, "node"));
  else await copy(from.root, root);
}

async function copyInto({ root, workdir }: Stage, words: readonly string[], stages: ReadonlyMap<string, Stage>) {
  const [from = "", to = ""] = words.slice(-2);
  const target = join(root, to.startsWith("/") ? "" : workdir, to);
  const stage = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
  if (stage !== undefined) return copy((stages.get(stage)?.root ?? "no such stage") + from, target);
  const ignored = (await readFile(join(checkout, ".dockerignore"), "utf8")).split("\n").filter((line) => line !== "");
  return copy(join(checkout, from), target, ignored);
}

/** Copies a file or what is in a folder; links stay links. */
async function copy(from: string, to: string, ignored: readonly string[] = []): Promise<void> {
  const isFolder = (await stat(from)).isDirectory();
  const filter = (path: string): boolean => !ignored.some((pattern) => matchesGlob(relative(checkout, path), pattern));
  const target = isFolder || !to.endsWith("/") ? to : join(to, basename(from));
  await cp(from, target, { recursive: true, verbatimSymlinks: true, filter });
}

/** A folder with the programs that the stage `tools` installs: turbo, pnpm and Node. */
async function toolsIn(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const scripts = {
    turbo: `exec "${join(checkout, "node_modules", ".bin", "turbo")}" "$@"`,
    // Copies: links to the store would share its permissions.
    pnpm: `exec npx -y pnpm@12 --config.package-import-method=copy --config.prefer-offline=true "$@"`,
  };
  for (const [script, line] of Object.entries(scripts)) {
    await writeFile(join(folder, script), `#!/bin/sh\n${line}\n`);
    await chmod(join(folder, script), 0o755);
  }
  return folder;
}

/** Throws with the output of the command when it fails. */
async function run(command: string, { root, workdir, environment, args }: Stage, programs: string): Promise<void> {
  // How this machine reaches a package registry is in its environment.
  const own = { ...process.env, NODE_ENV: undefined, ...environment, ...args };
  const PATH = [programs, join(root, "usr", "local", "bin"), process.env["PATH"]].join(":");
  const options = { cwd: root + workdir, env: { ...own, PATH }, maxBuffer: 64 * 1024 * 1024 };
  await promisify(execFile)("sh", ["-c", command], options).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`RUN ${command}\n${error.stdout}${error.stderr}`);
  });
}
