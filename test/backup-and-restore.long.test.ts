import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventIdOfBytes } from "@tally/contract";
import { readShards } from "@tally/database";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { startProcess } from "./kit/programs.ts";
import { keepSending, sold } from "./kit/sales.ts";
import { openDatabase, openRedis, startSystemWithServers } from "./kit/system.ts";
import { expectAllKept, runTally } from "./kit/tally.ts";

/*
 * Runs the commands of docs/backup.md on a system that loses its database, its Redis and its broker. RANKING_SHARDS is
 * 1, the rankings have 4.
 */

// One took 260 s on a busy machine.
vi.setConfig({ testTimeout: 10 * 60_000 });

const here = join(import.meta.dirname, "..");
const guide = readFileSync(join(here, "docs", "backup.md"), "utf8");
const system = await startSystemWithServers({ RANKING_SHARDS: "1" });
const { operator } = system.services;
const database = openDatabase(system);
const redis = openRedis(system);
const shard = `${system.namespace}:{purchases:0:v2}`;
const databaseName = new URL(system.addresses.databaseWriteUrl).pathname.slice(1);
const files = await temporaryDirectory();
const binlogs = join(files, "binlogs");
const servers = join(inject("runDirectory"), system.namespace, "services");
const environment = {
  // The launcher has written a `rabbitmqctl` for its broker.
  PATH: `${servers}:${process.env["PATH"]}`,
  ROOT_OPTIONS: join(servers, "database-primary.cnf"),
  BACKUP_OPTIONS: await createAccount(),
  DATABASE: databaseName,
  BINLOGS: binlogs,
};

/** The first commands, or the first SQL, below a text of the guide. */
function commandsBelow(text: string, language = "sh"): string {
  const from = guide.indexOf(text);
  const [, indent = "", block] =
    new RegExp(`^( *)\`\`\`${language}\n([\\s\\S]*?)^\\1\`\`\`$`, "m").exec(guide.slice(from)) ?? [];
  if (from < 0 || block === undefined) expect.fail(`docs/backup.md has no commands below "${text}"`);
  return block.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

// Without --norc bash reads the user's file, because its standard input is a socket.
const shellFlags = ["--norc", "-euo", "pipefail", "-c"];

/** Runs the commands below a text; throws with their errors when one fails. */
async function run(text: string, more: NodeJS.ProcessEnv = {}, commands = commandsBelow(text)): Promise<string> {
  const env = { ...environment, ...more };
  const { stdout } = await promisify(execFile)("bash", [...shellFlags, commands], { env });
  return stdout;
}

async function createAccount(): Promise<string> {
  const { hostname, port } = new URL(system.addresses.databaseWriteUrl);
  await operator.sql(commandsBelow("### The account", "sql").replaceAll("`tally`", `\`${databaseName}\``));
  const file = join(files, "backup.cnf");
  const lines = ["[client]", `host=${hostname}`, `port=${port}`, "user=tally_backup", "password=PASSWORD", ""];
  await writeFile(file, lines.join("\n"), { mode: 0o600 });
  return file;
}

/** Copies the binary logs until the returned function is called, or the test ends. */
function copyBinlogs(): () => Promise<void> {
  const script = commandsBelow("### Copy the binary logs");
  const copy = startProcess("bash", [...shellFlags, script], environment);
  // It has run until now.
  return async () => expect(await copy.stop("SIGKILL")).toBeNull();
}

async function sell(count: number): Promise<readonly string[]> {
  const sent: string[] = [];
  for (let n = 0; n < count; n++) sent.push(await sold(system.url, 1));
  return sent;
}

async function storedIds(): Promise<ReadonlySet<string>> {
  const rows = await database.writer.query<{ id: Buffer }>("SELECT id FROM purchases");
  return new Set(rows.map(({ id }) => eventIdOfBytes(id)));
}
const rankerLines = async (text: string): Promise<number> =>
  (await readFile(system.ranker.logFile, "utf8")).split("\n").filter((line) => line.includes(text)).length;
const ids = new Set<string>();

test("after the loss of database and Redis, dump and binary logs restore every acknowledged sale, once", async () => {
  const BACKUP = join(files, "backup-1");
  const clients = keepSending(system.urls, 4);
  onTestFinished(() => clients.stop().then(() => undefined));
  await clients.more(200);
  const endFirstCopy = copyBinlogs();
  expect((await runTally(system, ["rebuild", "--shards", "4"])).exitCode).toBe(0);
  await vi.waitFor(async () => expect(await readShards(database.writer, "purchases")).toBe(4), 60_000);
  await run("### Take a backup", { BACKUP });
  const atBackup = (await storedIds()).size;
  await clients.more(100);
  await endFirstCopy();
  const endCopy = copyBinlogs();
  await operator.sql("FLUSH BINARY LOGS"); // the next ones are in another file
  await clients.more(200);
  await expect.poll(async () => (await storedIds()).size).toBeGreaterThan(atBackup + 200);

  await operator.sql(`DROP DATABASE ${databaseName}`);
  await operator.redis("FLUSHALL");
  // Accepted by the gateway; the writer finds no table.
  await clients.more(100);
  for (const app of [system.writer, system.ranker]) await app.stop({ atOnce: true });
  const isCopied = async () => {
    const STOP_FILE = (await readdir(binlogs)).toSorted().at(-1) ?? "";
    const found = await run("**Choose the last transaction**", { STOP_FILE });
    const [, STOP = expect.fail(found)] = /.*^# at (\d+)$/ms.exec(found) ?? [];
    return { STOP_FILE, STOP };
  };
  const last = await vi.waitFor(isCopied, 60_000);
  expect(guide).toMatch(/\*\*Stop the copy of the binary logs\*\*[^]*\*\*Load the dump\*\*/);
  await endCopy();
  await run("**Load the dump**", { BACKUP });
  const loaded = (await storedIds()).size;
  const replay = "**Replay the binary logs**";
  const logs = commandsBelow(replay).replace(/^mariadb-binlog[^]*/m, 'echo "${files[@]}"');
  const [first = ""] = (await run(replay, { BACKUP }, logs)).split(" ");
  expect(await run(replay, { BACKUP, STOP_FILE: first }, logs)).toBe(`${first}\n`);
  await run(replay, { BACKUP, ...last });
  expect((await storedIds()).size).toBeGreaterThan(loaded + 200);

  // As new processes, which know no number of shards.
  await Promise.all([system.ranker.start(), system.writer.start()]);
  await clients.more(100);
  for (const id of (await clients.stop()).ids.values()) ids.add(id);
  await expectAllKept(system, ids);
  expect(await redis.get(`${shard}:generation`)).toMatch(/x4$/);
});

test("the dump alone restores its moment; the writer stores what waits; the rankings are rebuilt", async () => {
  const BACKUP = join(files, "backup-2");
  const place = async () => {
    const generation = `${shard}:${await redis.get(`${shard}:generation`)}`;
    return [await redis.get(`${generation}:as-of`), await redis.scard(`${generation}:recent`)];
  };
  const inBackup = await storedIds();
  await run("### Take a backup", { BACKUP });
  const lost = await sell(30);
  await expect.poll(() => storedIds()).toEqual(new Set([...inBackup, ...lost]));
  // They are ranked, and the ranker has seen that they are in the ledger.
  const [newest] = await database.writer.query<{ at: number }>(
    "SELECT MAX(stored_at) AS at FROM batches WHERE domain = 'purchases'",
  );
  await expect.poll(() => place(), { timeout: 60_000 }).toEqual([String(newest?.at), 0]);
  await system.writer.stop();
  await system.ranker.stop();
  const held = await sell(20);

  await operator.sql(`DROP DATABASE ${databaseName}`);
  await run("**Load the dump**", { BACKUP });
  await run("**Empty the rank queues.**");
  expect(await storedIds()).toEqual(inBackup);
  const lacking = () => rankerLines("the ledger lacks batches that are ranked");
  const before = await lacking();
  await Promise.all([system.writer.start(), system.ranker.start()]);
  await expect.poll(lacking, { timeout: 60_000 }).toBe(before + 1);
  for (const id of held) ids.add(id);
  await expectAllKept(system, ids);
  expect(await redis.get(`${shard}:generation`)).toMatch(/x4$/);
});

test("the definitions restore a broker that has lost everything", async () => {
  await operator.rabbitmqctl("delete_vhost", "/");
  await run("### A lost broker", { BACKUP: join(files, "backup-2") });
  const clients = keepSending(system.urls, 2);
  onTestFinished(() => clients.stop().then(() => undefined));
  await clients.more(50);
  for (const id of (await clients.stop()).ids.values()) ids.add(id);
  await expectAllKept(system, ids);
});
