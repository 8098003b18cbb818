import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { searchPath } from "../process/find-program.ts";
import type { MoreConfiguration } from "../services/services.ts";

/** The environment variable that marks our servers with their directory, see leftovers.ts. */
export const MARK = "TALLY_DIRECTORY";

/** What every private server of one directory is built from. */
export interface Workshop {
  readonly directory: string;
  /** Short and stable for this directory: for names that must not collide with another clone's. */
  readonly id: string;
  readonly passwords: Passwords;
  /** For unix sockets, whose paths may have 107 bytes. */
  readonly socketDirectory: string;
  /** For servers: nothing of ours but the PATH, so that no setting of the user's shell reaches them. */
  readonly environment: NodeJS.ProcessEnv;
  /** Lines that a caller adds to the servers' configurations. */
  readonly configuration?: MoreConfiguration | undefined;
  readonly say: (line: string) => void;
  /** Aborted when the start is interrupted. */
  readonly signal: AbortSignal;
}

/** Random, made with the directory and kept in it, readable by its owner only. Hex digits: safe in URLs, SQL and files. */
export interface Passwords {
  /** Of the administrator. */
  readonly rabbitmq: string;
  readonly database: string;
  readonly databaseRoot: string;
  readonly databaseReplication: string;
  readonly redis: string;
  /** Of the accounts of a role, on each server. */
  readonly gateway: string;
  readonly writer: string;
  readonly ranker: string;
  readonly maintenance: string;
}

/** Makes the folders and passwords that are missing. Stable from one start to the next. */
export async function openWorkshop(
  directory: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Workshop> {
  for (const folder of ["home", "log", "run"]) await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
  return {
    directory,
    id: directoryId(directory),
    passwords: await keptPasswords(directory),
    socketDirectory: await socketDirectory(directory),
    environment: { PATH: searchPath(environment), LANG: "C.UTF-8", HOME: join(directory, "home"), [MARK]: directory },
    say,
    signal,
  };
}

/** Takes away what lies outside the directory; with `keepData` false the directory too. */
export async function closeWorkshop(workshop: Workshop, { keepData }: { keepData: boolean }): Promise<void> {
  if (workshop.socketDirectory !== workshop.directory)
    await rm(workshop.socketDirectory, { recursive: true, force: true });
  if (!keepData) await rm(workshop.directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Ten hex digits of the directory's path. */
export function directoryId(directory: string): string {
  return createHash("sha256").update(directory).digest("hex").slice(0, 10);
}

/** The passwords of this directory, made at the first call. */
export async function keptPasswords(directory: string): Promise<Passwords> {
  const file = join(directory, "passwords.json");
  const kept: unknown = existsSync(file) ? JSON.parse(await readFile(file, "utf8")) : {};
  const password = (name: string): string => {
    const value: unknown = typeof kept === "object" && kept !== null ? Reflect.get(kept, name) : undefined;
    return typeof value === "string" ? value : randomBytes(12).toString("hex");
  };
  const passwords: Passwords = {
    rabbitmq: password("rabbitmq"),
    database: password("database"),
    databaseRoot: password("databaseRoot"),
    databaseReplication: password("databaseReplication"),
    redis: password("redis"),
    gateway: password("gateway"),
    writer: password("writer"),
    ranker: password("ranker"),
    maintenance: password("maintenance"),
  };
  await writeFile(file, JSON.stringify(passwords, undefined, 2), { mode: 0o600 });
  return passwords;
}

const SOCKET_PATH_BYTES_MAX = 107;
const SOCKET_NAME_BYTES_MAX = 32;

async function socketDirectory(directory: string): Promise<string> {
  if (Buffer.byteLength(directory) + SOCKET_NAME_BYTES_MAX <= SOCKET_PATH_BYTES_MAX) return directory;
  const short = Buffer.byteLength(tmpdir()) <= 60 ? tmpdir() : "/tmp";
  return mkdtemp(join(short, "tally-"));
}
