import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Flags } from "../command/flags.ts";
import { pageOf } from "../page/page.ts";
import { replaceFile } from "../replace-file.ts";
import type { Report } from "../report.ts";
import { problemIn } from "../stored-json.ts";
import { jsonOf, readReport } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { Dimensions, type Dimension, type Point, type Settings } from "./dimensions.ts";

/** What a sweep measures. Stored before the first run, so that it can go on after an interruption. */
export interface Sweep extends Settings {
  /** Start time, ISO 8601. */
  readonly at: string;
  readonly commit: string;
  /** The command that repeats it. */
  readonly repeat: string;
  /** Of every run; the rest are settings. */
  readonly flags: FixedFlags;
  readonly rounds: number;
}

interface FixedFlags extends Omit<Flags, "connections" | "gateways" | "set"> {
  readonly withinP99?: number;
  readonly within?: number;
}

const kind = "sweep of pnpm bench, version 1";
const definition = "sweep.json";
const sweepFile = Compile(
  Type.Object({
    kind: Type.Literal(kind),
    at: Type.String(),
    commit: Type.String(),
    repeat: Type.String(),
    rounds: Type.Integer({ minimum: 1 }),
    flags: Type.Object({}),
    dimensions: Dimensions,
    fixed: Dimensions,
  }),
);

/** Makes the folder of a new sweep in `results`, named after its start. Returns the folder. */
export async function makeSweepFolder(results: string, sweep: Sweep): Promise<string> {
  const names = sweep.dimensions.map(({ name }) => name).join("-");
  const folder = join(results, `${sweep.at.replaceAll(":", "-")}-sweep-${names}`);
  await storing(async () => {
    await mkdir(folder, { recursive: true });
    await storeSweep(folder, sweep);
  });
  return folder;
}

/** Replaces what the sweep in a folder measures. */
export async function storeSweep(folder: string, sweep: Sweep): Promise<void> {
  await storing(() => replaceFile(join(folder, definition), jsonOf({ kind, ...sweep })));
}

/** Stores the result of a sweep and its page. */
export async function storeResult(folder: string, json: string, page: string): Promise<void> {
  await storing(async () => {
    await replaceFile(join(folder, "result.json"), json);
    await replaceFile(join(folder, "page.html"), page);
  });
}

/** Throws a WrongUsage for a file that cannot be written. */
async function storing(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw error instanceof WrongUsage
      ? error
      : new WrongUsage(`the sweep cannot be stored: ${reasonOf(error)}`, { cause: error });
  }
}

/** Throws a WrongUsage for a folder without a sweep. */
export async function readSweep(folder: string): Promise<Sweep> {
  const file = join(folder, definition);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new WrongUsage(`--resume: ${folder} has no sweep: ${reasonOf(error)}`, { cause: error });
  });
  const problem = problemIn(text, sweepFile);
  if (problem !== undefined) throw new WrongUsage(`--resume: ${file} is not a ${kind}: ${problem}`);
  const { kind: found, ...sweep }: Sweep & { readonly kind: unknown } = JSON.parse(text);
  void found;
  return sweep;
}

/** A run of a sweep. */
export interface Turn {
  /** From 0. */
  readonly round: number;
  readonly point: Point;
}

/** The name of a run's files, without their endings. Settings may have any characters. */
export function fileOf(dimensions: readonly Pick<Dimension, "name">[], { round, point }: Turn): string {
  const settings = dimensions.map(({ name }, index) => `${name}-${encodeURIComponent(point[index] ?? "")}`);
  return [`round-${round + 1}`, ...settings].join("_");
}

/** The report of a run; undefined: it has not ended. */
export async function storedTurn(folder: string, sweep: Settings, turn: Turn): Promise<Report | undefined> {
  const file = join(folder, `${fileOf(sweep.dimensions, turn)}.json`);
  try {
    return await readReport(file);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return undefined;
    throw new WrongUsage(`--resume: ${reasonOf(error)}; delete the file to measure it again`, { cause: error });
  }
}

/** Stores the page and the report of a run. The report comes last and appears whole: with it, the run counts as done. */
export async function storeTurn(folder: string, sweep: Settings, turn: Turn, report: Report): Promise<void> {
  const file = join(folder, fileOf(sweep.dimensions, turn));
  const page = await pageOf(report);
  await storing(async () => {
    await writeFile(`${file}.html`, page);
    await replaceFile(`${file}.json`, jsonOf(report));
  });
}
