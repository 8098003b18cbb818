import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, matchesGlob, relative } from "node:path";
import { text } from "node:stream/consumers";
import { DockerfileParser, type Instruction, ModifiableInstruction } from "dockerfile-ast";

const checkout = join(import.meta.dirname, "..", "..");
const dockerfile = join(checkout, "infra", "Dockerfile");

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

/** Carries out infra/Dockerfile for an app in the folder `into`, without a container engine: copies files, and runs
 * each RUN in the folder of its stage. The stage `tools` installs nothing: its programs are those of this checkout.
 * Packages come from pnpm's store where it has them. */
export async function buildImage(app: string, into: string): Promise<Image> {
  const build = new Build(app, into, await toolsIn(join(into, "programs")));
  for (const instruction of DockerfileParser.parse(await readFile(dockerfile, "utf8")).getInstructions()) {
    await build.step(instruction);
  }
  return build.stage;
}

const before: Stage = {
  root: "",
  workdir: "/",
  user: "root",
  environment: {},
  entrypoint: [],
  healthCheck: [],
  args: {},
};

class Build {
  stage: Stage = before;
  #name = "";
  readonly #stages = new Map<string, Stage>();
  readonly #app: string;
  readonly #into: string;
  readonly #programs: string;

  constructor(app: string, into: string, programs: string) {
    this.#app = app;
    this.#into = into;
    this.#programs = programs;
  }

  async step(instruction: Instruction): Promise<void> {
    const words = argumentsOf(instruction).split(/\s+/);
    const values = { ...this.stage.args, ...this.stage.environment };
    const handle = this.#handlers[instruction.getKeyword()];
    if (handle === undefined) throw new TypeError(`${instruction.getKeyword()}: this test cannot carry it out`);
    const change = await handle(
      words.map((word) => word.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? "")),
      instruction,
    );
    this.stage = { ...this.stage, ...change };
    this.#stages.set(this.#name, this.stage);
  }

  /** What each instruction does, and what it changes in its stage. */
  readonly #handlers: Readonly<
    Record<string, (words: readonly string[], instruction: Instruction) => Promise<Partial<Stage>> | Partial<Stage>>
  > = {
    FROM: async ([image = "", , name = ""]) => {
      this.#name = name;
      const folder = join(this.#into, name === "" ? "image" : name);
      await mkdir(join(folder, "usr", "local", "bin"), { recursive: true });
      const from = this.#stages.get(image);
      if (from === undefined) await copyFile(process.execPath, join(folder, "usr", "local", "bin", "node"));
      else await copy(from.root, folder);
      return { ...(from ?? before), root: folder, args: {} };
    },
    ARG: ([word = ""]) => {
      const [name = "", preset = ""] = word.split("=");
      return { args: { ...this.stage.args, [name]: name === "APP" ? this.#app : preset } };
    },
    ENV: (words) => {
      const pairs = words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]);
      return { environment: { ...this.stage.environment, ...Object.fromEntries(pairs) } };
    },
    WORKDIR: async ([workdir = ""]) => {
      await mkdir(this.stage.root + workdir, { recursive: true });
      return { workdir };
    },
    USER: ([user = ""]) => ({ user }),
    COPY: async ([from = "", to = ""], instruction) => {
      const name = stageNamedIn(instruction);
      const target = join(this.stage.root, to.startsWith("/") ? "" : this.stage.workdir, to);
      if (name === undefined) await copy(join(checkout, from), target, await ignoredFiles());
      else await copy((this.#stages.get(name)?.root ?? "no such stage") + from, target);
      return {};
    },
    RUN: async (_words, instruction) => {
      if (this.#name !== "tools") await run(argumentsOf(instruction), this.stage, this.#programs);
      return {};
    },
    HEALTHCHECK: (_words, instruction) => ({
      healthCheck: programOf(argumentsOf(instruction).replace(/^CMD /, "")),
    }),
    ENTRYPOINT: (_words, instruction) => ({ entrypoint: programOf(argumentsOf(instruction)) }),
    EXPOSE: () => ({}),
  };
}

/** The words of a JSON array: an entry point in another form would run in a shell. */
function programOf(json: string): readonly string[] {
  const program: unknown = JSON.parse(json);
  if (!Array.isArray(program)) throw new TypeError(`expected a JSON array, got ${json}`);
  return program.map(String);
}

const ignoredFiles = async (): Promise<readonly string[]> =>
  (await readFile(join(checkout, ".dockerignore"), "utf8")).split("\n").filter((line) => line !== "");

/** Copies a file or what is in a folder; links stay links. */
async function copy(from: string, to: string, ignored: readonly string[] = []): Promise<void> {
  const isFolder = (await stat(from)).isDirectory();
  const filter = (path: string): boolean => !ignored.some((pattern) => matchesGlob(relative(checkout, path), pattern));
  await cp(from, isFolder || !to.endsWith("/") ? to : join(to, basename(from)), {
    recursive: true,
    verbatimSymlinks: true,
    filter,
  });
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

async function run(command: string, { root, workdir, environment, args }: Stage, programs: string): Promise<void> {
  const env = {
    // How this machine reaches a package registry.
    ...process.env,
    NODE_ENV: undefined,
    ...environment,
    ...args,
    PATH: [programs, join(root, "usr", "local", "bin"), process.env["PATH"]].join(":"),
  };
  const child = spawn("sh", ["-c", command], { cwd: root + workdir, env, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (child.exitCode !== 0) throw new Error(`RUN ${command}\n${output}${errors}`);
}

const argumentsOf = (instruction: Instruction): string => instruction.getArgumentsContent() ?? "";

/** The stage of `COPY --from=`; undefined: the files of the checkout. */
function stageNamedIn(instruction: Instruction): string | undefined {
  if (!(instruction instanceof ModifiableInstruction)) return undefined;
  return (
    instruction
      .getFlags()
      .find((flag) => flag.getName() === "from")
      ?.getValue() ?? undefined
  );
}
