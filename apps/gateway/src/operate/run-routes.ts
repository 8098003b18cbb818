import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { NotFound } from "@tally/contract";
import type { FastifyInstance } from "fastify";
import { Type, type Static } from "typebox";
import { refusal } from "../errors/catalogue.ts";
import { ClientError } from "../errors/client-error.ts";
import { addJsonRoute } from "./add-json-route.ts";

const None = Type.Object({}, { additionalProperties: false });
const Run = Type.Object({
  file: Type.String(),
  kind: Type.Enum(["bench", "drill"]),
  /** ISO 8601. */
  at: Type.String(),
  title: Type.String(),
});
type Run = Static<typeof Run>;

const runsMax = 200;
// A report is parsed in one turn of the event loop, about 5 ms for each MiB. The reports of bench and drill have 20 to 80 KiB.
const fileBytesMax = 2 * 1024 * 1024;

/** GET /runs, newest first, and GET /runs/{file}: the stored reports of bench and drill, of at most 2 MiB each. `folder` empty: 404. */
export function addRunRoutes(app: FastifyInstance, folder: string): void {
  const heads = new Map<string, Run | undefined>();
  addJsonRoute(app, "/runs", {
    documented: {
      summary: "the stored reports of bench and drill, newest first, at most 200",
      description: "Needs `RUNS_FOLDER`. Reports above 2 MiB are left out",
      errors: ["RUNS_OFF"],
      examples: {},
    },
    params: None,
    query: None,
    response: Type.Object({ runs: Type.Array(Run) }),
    async respond() {
      const files = (await filesIn(folder)).slice(0, runsMax);
      for (const file of files) {
        if (!heads.has(file.key)) heads.set(file.key, headOf(file, await reportIn(folder, file.name)));
      }
      for (const key of heads.keys()) if (!files.some((file) => file.key === key)) heads.delete(key);
      return { runs: files.flatMap(({ key }) => heads.get(key) ?? []) };
    },
  });
  addJsonRoute(app, "/runs/:file", {
    documented: { summary: "one report", errors: ["RUNS_OFF", "NOT_FOUND"], examples: {} },
    params: Type.Object({ file: Type.String() }),
    query: None,
    response: Type.Unknown(),
    async respond({ params: { file } }) {
      // Only names that the folder lists: a name is never a path.
      const known = (await filesIn(folder)).find(({ name }) => name === file);
      const report = known && (await reportIn(folder, known.name));
      if (report === undefined)
        throw new NotFound("file", "the file of a report, as GET /runs lists it", file.slice(0, 200));
      return report;
    },
  });
}

interface StoredFile {
  readonly name: string;
  /** Changes with the file. */
  readonly key: string;
  readonly changedAt: Date;
}

/** The files of the folder that may be reports, newest first. */
async function filesIn(folder: string): Promise<readonly StoredFile[]> {
  if (folder === "") throw new ClientError(refusal("RUNS_OFF"));
  const names = (await readdir(folder).catch(missing)).filter((name) => name.endsWith(".json"));
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(unreadable);
      if (found?.isFile() !== true) return [];
      const { mtime, size } = found;
      return [{ name, key: `${name} ${mtime.getTime()}`, changedAt: mtime, size }];
    }),
  );
  return files
    .flat()
    .filter(({ size }) => size <= fileBytesMax)
    .toSorted((a, b) => b.changedAt.getTime() - a.changedAt.getTime());
}

/** undefined: the file cannot be read, or is no JSON object. */
async function reportIn(folder: string, name: string): Promise<object | undefined> {
  try {
    const report: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
    return typeof report === "object" && report !== null ? report : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    return unreadable(error);
  }
}

/** undefined: neither a report of the bench nor of the drill. */
function headOf({ name: file, changedAt }: StoredFile, report: object | undefined): Run | undefined {
  if (report === undefined) return undefined;
  const text = (name: string): string | undefined => {
    const value: unknown = Reflect.get(report, name);
    return typeof value === "string" ? value : undefined;
  };
  const at = text("at") ?? changedAt.toISOString();
  const [design, domain] = [text("design"), text("domain")];
  if (design !== undefined && domain !== undefined) {
    return { file, kind: "bench", at, title: [domain, design, text("mode")].filter(Boolean).join(", ") };
  }
  const faults: unknown = Reflect.get(report, "faults");
  if (!Array.isArray(faults)) return undefined;
  return { file, kind: "drill", at, title: `${faults.length} faults, seed ${String(Reflect.get(report, "seed"))}` };
}

// Removed since, a link to nothing or to itself, or without the right to read it: the other reports are still shown.
const codesOfUnreadable: ReadonlySet<unknown> = new Set(["ENOENT", "ELOOP", "EACCES", "EPERM"]);

function unreadable(error: unknown): undefined {
  if (error instanceof Error && codesOfUnreadable.has(Reflect.get(error, "code"))) return undefined;
  throw error;
}

/** `pnpm bench` creates the folder with its first report. */
function missing(error: unknown): string[] {
  if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return [];
  throw error;
}
