import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, migrate, removalSteps, retain, retainedFrom, withUnmoved } from "@tally/database";
import type { RetentionProgress } from "@tally/database";
import type { Event } from "@tally/contract";
import { runTally } from "@tally/local";
import { silentLog } from "@tally/runtime";
import { temporaryDirectory } from "@tally/local/at-end";
import { expect, inject, test, vi } from "vitest";
import { exportMonth, type RetainedDomain } from "./export-month.ts";
import { addRows, dayOfMonth, idOfKey, insertPurchases, purchases } from "./old-purchases.test-kit.ts";
import { purchasesDatabase, rowOf, sumsIn, sumsOf } from "./old-purchases.test-kit.ts";

const killer = new URL("kill-after.fixture.ts", import.meta.url).href;
const keepMonths = 2;

// A month may end meanwhile: the clocks of this process and of its commands stand still.
vi.setSystemTime(Date.now());

// Not in the system's temporary directory, which may be in memory: the command rejects that.
const root = join(import.meta.dirname, "..", "..", "..", "..");
const onDisk = join(root, ".tally");
await mkdir(onDisk, { recursive: true });
// Until the end of all tests: what was removed in one counts in the next one.
const ofAll = await temporaryDirectory(onDisk);
const directoryOnDisk = () => mkdtemp(join(ofAll, "test-"));

/** Runs the command on the database of a test. `killAfter`: after how many changes it is killed; `aheadMs`: its clock. */
function run(
  writeUrl: string,
  directory: string,
  { killAfter = Infinity, aheadMs = 0, flags = [] as readonly string[] } = {},
) {
  const { amqpUrl, redisUrl } = inject("services");
  const args = ["retention", "--domain", "purchases", "--keep-months", String(keepMonths), "--export", directory];
  const env = {
    PATH: process.env["PATH"],
    AMQP_URL: amqpUrl,
    REDIS_URL: redisUrl,
    DATABASE_WRITE_URL: writeUrl,
    DATABASE_READ_URL: writeUrl,
    KILL_AFTER: String(killAfter),
    CLOCK: String(Date.now() + aheadMs),
    NODE_OPTIONS: `--import ${killer}`,
  };
  return runTally(root, env, [...args, ...flags]);
}

async function countRows(database: Database, table: string): Promise<number | undefined> {
  return (await database.writer.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n;
}

async function linesIn(directory: string, month: string): Promise<readonly string[]> {
  return (await readFile(join(directory, `purchases-${month}.ndjson`), "utf8")).trimEnd().split("\n");
}

const monthOfDay = (day: string): string => day.slice(0, 7);

const killed = purchasesDatabase();

test("a command that is killed after any of its changes loses nothing and counts nothing twice; the next one continues", async () => {
  const { database, directory } = await open(killed);
  await addRows(database, 40, dayOfMonth(0));
  await addRows(database, 300, dayOfMonth(4));
  await addRows(database, 300, dayOfMonth(4), idOfKey);
  const sums = await sumsOf(database);
  const kills: string[] = [];
  // A step that begins again repeats its first change: then the next command is killed one change later.
  for (let killAfter = 0; ;) {
    const { exitCode, output, errors } = await run(killed.writeUrl, directory, { killAfter });
    expect(await sumsOf(database)).toEqual(sums);
    if (exitCode === 0) break;
    // Its progress, which it shows after 5 s: on a busy machine.
    expect(errors).toMatch(/^(tally: (.* \(\d+, \d+\/s\)|waits, .*)\n)*$/);
    const kill = output.trim().replace("killed after: ", "");
    killAfter = kill === kills.at(-1) ? killAfter + 1 : 0;
    if (killAfter === 0) kills.push(kill);
    if (killAfter > 5) throw new Error(`no progress after ${kill}`);
  }
  expect([...new Set(kills)]).toEqual([
    "partitions added",
    "begun",
    "leaving table renewed",
    "exchanged",
    "exporting",
    "exported",
    "dropping",
    "leaving table emptied",
    "partition dropped",
    "removed",
  ]);
  expect([await countRows(database, "purchases"), await countRows(database, "purchases_leaving")]).toEqual([40, 0]);
  expect(await linesIn(directory, monthOfDay(dayOfMonth(4)))).toHaveLength(600);
});

const failedOver = purchasesDatabase();

test("leaving rows that come back with a failover, and are removed, count once", async () => {
  const { database, directory } = await open(failedOver);
  const execute = (sql: string) => database.transaction((transaction) => transaction.execute(sql));
  await addRows(database, 50, dayOfMonth(6));
  await execute("CREATE TABLE saved AS SELECT * FROM purchases");
  await addRows(database, 30, dayOfMonth(5));
  const flags = ["--keep-months", "5"];
  expect(await run(failedOver.writeUrl, directory, { flags })).toMatchObject({ exitCode: 0 });
  const sums = await sumsOf(database);
  await execute("INSERT INTO purchases_leaving SELECT * FROM saved");
  expect(await run(failedOver.writeUrl, directory)).toMatchObject({ exitCode: 0 });
  expect(await sumsOf(database)).toEqual(sums);
  expect(await linesIn(directory, monthOfDay(dayOfMonth(5)))).toHaveLength(30);
});

const shared = purchasesDatabase();
const contended = purchasesDatabase();

interface RemoveOptions {
  /** Months ago. */
  readonly keep?: number;
  readonly onProgress?: (progress: RetentionProgress) => void;
  readonly domain?: RetainedDomain;
  readonly foldAll?: () => Promise<void>;
}

/** A database, a new directory, and `remove`: it removes months in this process. */
async function open(own: ReturnType<typeof purchasesDatabase>) {
  const [database, directory] = [own.connect(), await directoryOnDisk()];
  const remove = ({ keep = keepMonths, onProgress = noProgress, domain = purchases, foldAll }: RemoveOptions = {}) =>
    retain({
      url: own.writeUrl,
      database,
      domain,
      firstKept: monthOfDay(dayOfMonth(keep)),
      foldAll: foldAll ?? (async () => undefined),
      onProgress,
      exportMonth: (month) =>
        exportMonth({ domain, month, directory, database, onProgress: () => onProgress({ step: "exporting", month }) }),
    });
  return { database, directory, remove };
}

const noProgress = (): void => undefined;

test("rows, leaving rows and exported lines have the same sums before, during and after a removal", async () => {
  const { database, remove } = await open(shared);
  for (const back of [0, 2, 3, 5]) await addRows(database, 200, dayOfMonth(back), idOfKey);
  const sums = await sumsOf(database);
  const during: Promise<readonly string[]>[] = [];
  const outcome = await remove({ onProgress: () => during.push(sumsOf(database)) });
  for (const found of await Promise.all(during)) expect(found).toEqual(sums);
  expect(during.length).toBeGreaterThan(6);
  expect(await sumsOf(database)).toEqual(sums);
  expect(outcome).toMatchObject({ converted: true, removed: [{ events: 200 }, { events: 200 }] });
  expect(await countRows(database, "purchases")).toBe(400);
});

/** A removal that waits for the transaction or snapshot in which this is called. */
async function waitingRemoval({ remove }: Awaited<ReturnType<typeof open>>, keep = keepMonths) {
  const waiting = Promise.withResolvers<void>();
  const onProgress = ({ step }: RetentionProgress) => step === "waiting" && waiting.resolve();
  const running = remove({ keep, onProgress });
  await Promise.race([waiting.promise, running]);
  return { running };
}

test("a row that is stored while its month waits to be moved goes with the month; later its date is not retained", async () => {
  const own = await open(contended);
  const { database } = own;
  await addRows(database, 10, dayOfMonth(4));
  await own.remove({ keep: 6 });
  const { running } = await database.transaction(async (transaction) => {
    expect(await retainedFrom(transaction, purchases.name, purchases.retention)).toBeUndefined();
    const removal = await waitingRemoval(own, 3);
    await transaction.insert(insertPurchases, [rowOf(1, dayOfMonth(4))]);
    return removal;
  });
  expect(await running).toMatchObject({ removed: [{ events: 11 }] });
  const retained = await database.transaction((transaction) =>
    retainedFrom(transaction, purchases.name, purchases.retention),
  );
  expect(retained).toBe(Number(dayOfMonth(3).replaceAll("-", "")));
});

test("a snapshot that begins before a month is moved sees its rows until it ends", async () => {
  const own = await open(contended);
  const { database, directory } = own;
  await addRows(database, 25, dayOfMonth(3));
  const sums = await sumsOf(database);
  const { running } = await withUnmoved(database, "write", purchases, async (snapshot) => {
    const removal = await waitingRemoval(own);
    expect(await sumsIn(snapshot)).toEqual(sums);
    return removal;
  });
  expect(await running).toMatchObject({ removed: [{ events: 25 }] });
  expect(await sumsOf(database)).toEqual(sums);
  expect(await linesIn(directory, monthOfDay(dayOfMonth(3)))).toHaveLength(25);
});

test("a file with other content stops the removal before anything is lost; without it the next run continues", async () => {
  const { database, directory, remove } = await open(shared);
  const sums = await sumsOf(database);
  const file = join(directory, `purchases-${monthOfDay(dayOfMonth(2))}.ndjson`);
  const steps = [await removalSteps(database.writer, purchases)];
  // Rows are exchanged before the end of a step.
  const leaving = insertPurchases.replace(/INTO purchases\b/, "INTO purchases_leaving");
  await database.transaction((transaction) => transaction.insert(leaving, [rowOf(1, dayOfMonth(2))]));
  expect(await removalSteps(database.writer, purchases)).not.toBe(steps[0]);
  await database.transaction((transaction) => transaction.execute("DELETE FROM purchases_leaving"));
  await writeFile(file, "{}\n".repeat(200));
  await expect(remove({ keep: 1 })).rejects.toThrow(
    /expected the 200 purchases of \d{4}-\d{2}, found other content \(200 lines\); move the file away/,
  );
  expect(await sumsOf(database)).toEqual(sums);
  await rm(file);
  steps.push(await removalSteps(database.writer, purchases));
  expect(await remove({ keep: 1 })).toMatchObject({ removed: [{ events: 200 }] });
  expect(await sumsOf(database)).toEqual(sums);
  // Rows have moved twice: an audit that was interrupted before reads them again.
  expect(new Set([...steps, await removalSteps(database.writer, purchases)]).size).toBe(3);
});

const incomplete = purchasesDatabase();

test("an export without a field, or with a part of one, stops the removal before anything is lost", async () => {
  const { database, directory, remove } = await open(incomplete);
  await addRows(database, 20, dayOfMonth(5));
  const sums = await sumsOf(database);
  const { custID: _left, ...withoutCustomer } = purchases.files.fields;
  for (const [fields, message] of [
    [withoutCustomer, /custID: expected .*; no row was removed/s],
    [{ ...purchases.files.fields, items: partOfItems }, /does not make the stored event again/],
  ] as const) {
    const domain = { ...purchases, files: { ...purchases.files, fields } };
    await expect(remove({ domain })).rejects.toThrow(message);
    expect(await sumsOf(database)).toEqual(sums);
    expect([await countRows(database, "purchases_leaving"), await readdir(directory)]).toEqual([20, []]);
  }
  expect(await remove()).toMatchObject({ removed: [{ events: 20 }] });
  expect(await sumsOf(database)).toEqual(sums);
});

function partOfItems(event: Event): unknown {
  const items: unknown = purchases.files.fields["items"]?.(event);
  return Array.isArray(items) ? items.slice(1) : items;
}

const migrating = purchasesDatabase();

test("a new migration waits until a removal has ended; where all are applied nothing waits", async () => {
  const { database, remove } = await open(migrating);
  await addRows(database, 60, dayOfMonth(3));
  const ended: string[] = [];
  const start = async (name: string, ...files: Parameters<typeof migrate>[1]) => {
    await migrate({ url: migrating.writeUrl, log: silentLog }, files);
    ended.push(name);
  };
  const started: Promise<void>[] = [];
  const onProgress = () => {
    if (started.length > 0) return;
    started.push(start("new", { name: "late/001", sql: "CREATE TABLE late (id INT)" }), start("none"));
  };
  await remove({ onProgress, foldAll: async () => started[1] });
  ended.push("removal");
  await Promise.all(started);
  expect(ended).toEqual(["none", "removal", "new"]);
});

const newer = purchasesDatabase();

test("a column that this version does not know is not removed with its rows", async () => {
  const database = newer.connect();
  await database.transaction((transaction) =>
    transaction.execute("ALTER TABLE purchases ADD COLUMN unknown VARCHAR(20)"),
  );
  await addRows(database, 20, dayOfMonth(4));
  expect(await run(newer.writeUrl, await directoryOnDisk())).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining("purchases_leaving.unknown: expected no column that this version does not export"),
  });
  expect(await countRows(database, "purchases_leaving")).toBe(20);
});

test("a dry run names what it would do and changes nothing", async () => {
  const database = contended.connect();
  await addRows(database, 5, dayOfMonth(4));
  const { output, exitCode } = await run(contended.writeUrl, "unused", { flags: ["--dry-run", "--json"] });
  expect(JSON.parse(output)).toEqual({
    domain: "purchases",
    firstKept: monthOfDay(dayOfMonth(keepMonths)),
    addsPartitions: null,
    unfinished: null,
    months: [{ month: monthOfDay(dayOfMonth(4)), events: 5 }],
  });
  expect(exitCode).toBe(0);
  expect(await countRows(database, "purchases")).toBe(5);
});

const locked = purchasesDatabase();

test("a table that is in use for too long ends the command with 3", async () => {
  const { database, directory } = await open(locked);
  const ended = await database.transaction(async (transaction) => {
    await transaction.execute("LOCK TABLES purchases WRITE");
    const { exitCode, errors } = await run(locked.writeUrl, directory);
    await transaction.execute("UNLOCK TABLES");
    return { exitCode, errors };
  });
  expect(ended).toMatchObject({ exitCode: 3, errors: expect.stringContaining("lock timeout") });
});

test("a removal that has begun, of a month that is to be kept, stops the command and its dry run before any row leaves", async () => {
  const { database, remove } = await open(locked);
  await addRows(database, 20, dayOfMonth(4));
  const foldAll = () => Promise.reject(new Error("Ctrl-C"));
  await expect(remove({ keep: 3, foldAll })).rejects.toThrow("Ctrl-C");
  const dryRun = (keep: number) =>
    run(locked.writeUrl, "unused", { flags: ["--dry-run", "--keep-months", String(keep)] });
  const month = monthOfDay(dayOfMonth(4));
  const text = `purchases: an earlier run is removing ${month}: finish it first, with --keep-months 3`;
  expect(await dryRun(4)).toEqual({ exitCode: 1, output: "", errors: `tally: ${text}\n` });
  await expect(remove({ keep: 4 })).rejects.toThrow(text);
  expect([await countRows(database, "purchases"), await countRows(database, "purchases_leaving")]).toEqual([20, 0]);
  expect((await dryRun(3)).output).toContain(`would finish the removal of ${month}\n`);
  // A server that stays read-only must not hold the command for ever.
  const transactions = vi.spyOn(database, "transaction");
  expect(await remove({ keep: 3 })).toMatchObject({ removed: [{ events: 20 }] });
  for (const [, limits] of transactions.mock.calls) expect(limits).toEqual({ giveUpAfterMs: 15_000 });
  expect(transactions).toHaveBeenCalled();
});

test("a command whose clock is ahead removes nothing", async () => {
  const rows = await countRows(contended.connect(), "purchases");
  expect(await run(contended.writeUrl, await directoryOnDisk(), { aheadMs: 32 * 86_400_000 })).toEqual({
    exitCode: 1,
    output: "",
    errors: "tally: the clock of this host is ahead of the database's\n",
  });
  expect(await countRows(contended.connect(), "purchases")).toBe(rows);
});

test("a directory in memory is rejected before any row leaves its table", async () => {
  const database = contended.connect();
  const rows = await countRows(database, "purchases");
  const directory = await temporaryDirectory("/dev/shm");
  expect(await run(contended.writeUrl, directory)).toEqual({
    exitCode: 2,
    output: "",
    errors: `tally: --export: expected a directory on a disk, got ${directory}, which is in memory\n`,
  });
  expect(await countRows(database, "purchases")).toBe(rows);
});

test("a directory that cannot be written is rejected before any row leaves its table", async () => {
  const database = contended.connect();
  const rows = await countRows(database, "purchases");
  const { exitCode, errors } = await run(contended.writeUrl, "/proc"); // Not even by root.
  expect([exitCode, errors]).toEqual([2, expect.stringMatching(/^tally: E.*, mkdtemp '\/proc\/tally-.*'\n$/)]);
  expect(await countRows(database, "purchases")).toBe(rows);
});

test("a domain without dates and a bound below 1 are rejected", async () => {
  const steps = await run(shared.writeUrl, "unused", { flags: ["--domain", "steps"] });
  expect(steps).toMatchObject({ exitCode: 2, output: "" });
  expect(steps.errors).toBe(
    "tally: --domain: expected one of purchases, got steps, whose rows have no calendar date\n",
  );
  const young = await run(shared.writeUrl, "unused", { flags: ["--keep-months", "0"] });
  const errors = expect.stringContaining("expected a whole number from 1 on");
  expect(young).toMatchObject({ exitCode: 2, output: "", errors });
});
