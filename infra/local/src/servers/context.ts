import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerHome } from "../process/child-server.ts";
import { searchPath } from "../process/run-command.ts";
import { directoryVariable } from "../process/directory-lock.ts";

/** The database's are command-line options of primary and replica. */
export type MoreConfiguration = Readonly<Record<"redis" | "rabbitmq" | "database", readonly string[]>>;

/** What every private server of one directory is built from. Its `environment` is PATH, LANG and HOME only: no setting
 * of the user's shell. */
export interface ServerContext extends ServerHome {
  /** Ten hex digits, stable for this directory: for names that must not collide with another clone's. */
  readonly id: string;
  readonly passwords: Passwords;
  /** For Unix sockets, whose paths have at most 107 bytes. */
  readonly socketDirectory: string;
  readonly configuration?: MoreConfiguration | undefined;
  readonly redoLogMiB?: number | undefined;
}

/** Random, created with the directory and kept in it, readable by its owner only. Hex digits: safe in URLs, SQL and
 * files. */
export type Passwords = Awaited<ReturnType<typeof keptPasswords>>;

/** Creates the folders and passwords that are missing. The result is the same at each start, apart from the socket
 * directory. */
export async function openContext(
  directory: string,
  environment: NodeJS.ProcessEnv,
  { say, signal, waits }: Pick<ServerContext, "say" | "signal" | "waits">,
): Promise<ServerContext> {
  await mkdir(join(directory, "home"), { recursive: true, mode: 0o700 });
  return {
    directory,
    id: directoryId(directory),
    passwords: await keptPasswords(directory),
    socketDirectory: await socketDirectory(directory),
    environment: {
      PATH: searchPath(environment),
      LANG: "C.UTF-8",
      HOME: join(directory, "home"),
      [directoryVariable]: directory,
    },
    say,
    signal,
    waits,
  };
}

/** Deletes what lies outside the directory; with `keepData` false the directory too. */
export async function closeContext(context: ServerContext, { keepData }: { keepData: boolean }): Promise<void> {
  const { directory, socketDirectory: sockets } = context;
  if (sockets !== directory) await rm(sockets, { recursive: true, force: true });
  if (!keepData) await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Ten hex digits of the hash of the directory's path. */
export function directoryId(directory: string): string {
  return createHash("sha256").update(directory).digest("hex").slice(0, 10);
}

/** The passwords of this directory, created by the first call. */
export async function keptPasswords(directory: string) {
  const file = join(directory, "passwords.json");
  const kept: { readonly [name: string]: string } = existsSync(file) ? JSON.parse(await readFile(file, "utf8")) : {};
  const password = (name: string): string => kept[name] ?? randomBytes(12).toString("hex");
  const passwords = {
    // The administrator.
    rabbitmq: password("rabbitmq"),
    database: password("database"),
    databaseRoot: password("databaseRoot"),
    databaseReplication: password("databaseReplication"),
    redis: password("redis"),
    // The accounts of a role, the same on each server.
    gateway: password("gateway"),
    writer: password("writer"),
    ranker: password("ranker"),
    maintenance: password("maintenance"),
  } as const;
  if (Object.keys(passwords).every((name) => name in kept)) return passwords;
  // Not in place: a kill would leave an empty file.
  await writeFile(`${file}.new`, JSON.stringify(passwords, undefined, 2), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return passwords;
}

const socketPathBytesMax = 107;
const socketNameBytesMax = 32;

async function socketDirectory(directory: string): Promise<string> {
  if (Buffer.byteLength(directory) + socketNameBytesMax <= socketPathBytesMax) return directory;
  const short = Buffer.byteLength(tmpdir()) <= 60 ? tmpdir() : "/tmp";
  return mkdtemp(join(short, "tally-"));
}

// These files define what each account may do. Docker Compose uses them too.
const templates = join(import.meta.dirname, "..", "..", "..");

/** A template such as `redis/users.conf` with its words in double braces filled in. Throws for a word without a value.
 */
export async function filledTemplate(name: string, values: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(join(templates, name), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => {
    const value = values[word];
    if (value === undefined) throw new TypeError(`${name}: no value for ${word}`);
    return value;
  });
}
