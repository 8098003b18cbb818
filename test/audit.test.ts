import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@tally/database";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "./rankings-equal-rows.ts";
import { runTally } from "./run-tally.ts";
import { sold } from "./sell.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;
let database: Database;
let redis: Redis;
let directory: string;
const ids: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-audit-"));
  system = await startSystem();
  database = openDatabase(system);
  redis = new Redis(system.addresses.redisUrl);
  // One after the other: each is a batch of its own.
  for (let sale = 0; sale < 60; sale++) {
    ids.push(await sold(system.url, sale % 6, { item: sale % 7, quantity: 2 }));
  }
});
afterAll(async () => {
  redis.disconnect();
  await database.close();
  await system.stop();
  await rm(directory, { recursive: true, force: true });
});

const audit = (...flags: readonly string[]) => runTally(system, ["audit", ...flags]);
const file = async (name: string, lines: readonly string[]) => {
  const path = join(directory, name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(""));
  return path;
};
const shard = () => `${system.namespace}:{purchases:0}`;
const bytesOf = (id: string | undefined) => Buffer.from((id ?? "").replaceAll("-", ""), "hex");
async function batchOf(id: string | undefined) {
  const [row] = await database.writer.query<{ producer: Buffer; sequence: number }>(
    "SELECT producer, sequence FROM purchases WHERE id = ?",
    [bytesOf(id)],
  );
  if (row === undefined) throw new Error(`no row ${id}`);
  return { producer: row.producer, sequence: row.sequence, name: `${row.producer.toString("hex")}:${row.sequence}` };
}

// In this order: the last ones stop the ranker and break what the first ones find whole.
test.each(["read", "write"])(
  "acknowledged, stored and ranked are the same number, on the %s endpoint",
  async (endpoint) => {
    const acknowledged = await file("all", ids);
    const { exitCode, output } = await audit("--json", "--endpoint", endpoint, "--acknowledged", acknowledged);
    const report: unknown = JSON.parse(output);
    expect(report).toMatchObject({ agrees: true, endpoint, underWay: [], notStored: [] });
    expect(report).toMatchObject({
      audit: { acknowledged: 60, stored: 60, ranked: 60, lost: 0, doubled: 0, deadLetters: 0, unacknowledged: 0 },
    });
    expect(exitCode).toBe(0);
  },
);

test("without --json the result is one sentence", async () => {
  const { exitCode, output } = await audit();
  expect(output).toContain("acknowledged = stored = ranked: 60 acknowledged, 60 stored, 60 ranked, 0 lost, 0 doubled");
  expect(exitCode).toBe(0);
});

test("an acknowledged id that is not stored is lost, and is named; rows that are not in the file are counted", async () => {
  const never = "0190a1b2-c3d4-7e5f-8a9b-0123456789ab";
  const acknowledged = await file("more", [...ids.slice(0, 50), never]);
  const { exitCode, output } = await audit("--json", "--wait", "2", "--acknowledged", acknowledged);
  expect(JSON.parse(output)).toMatchObject({
    agrees: false,
    notStored: [never.replaceAll("-", "")],
    audit: { acknowledged: 51, lost: 1, unacknowledged: 10 },
  });
  expect(exitCode).toBe(1);
});

test("while a batch is not ranked yet nothing is compared, and the output names it", async () => {
  system.ranker.kill("SIGSTOP");
  ids.push(await sold(system.url, 1, { item: 1, quantity: 2 }));
  const { exitCode, output } = await audit("--wait", "3");
  system.ranker.kill("SIGCONT");
  expect(output).toContain("1 batches of purchases are stored and not ranked yet");
  expect(exitCode).toBe(3);
  expect((await audit()).exitCode).toBe(0);
});

test("every difference is found and named", async () => {
  await system.ranker.stop(); // it would repair some of this
  // Younger ones may not be ranked yet.
  await database.writer.query("UPDATE batches SET stored_at = stored_at - 60000");
  const live = `${shard()}:${await redis.get(`${shard()}:generation`)}`;
  const [deleted, unmarked, unledgered] = [await batchOf(ids[0]), await batchOf(ids[1]), await batchOf(ids[2])];
  await redis.zincrby(`${live}:b:store:3`, -5, "13");
  await redis.zadd(`${live}:b:store:4`, -9, "277");
  await redis.zadd(`${live}:b:item:888`, -1, "11");
  await redis.setbit(`${live}:applied:${unmarked.producer.toString("hex")}`, unmarked.sequence, 0);
  await database.writer.query("DELETE FROM purchases WHERE id = ?", [bytesOf(ids[0])]);
  await database.writer.query("DELETE FROM batches WHERE producer = ? AND sequence = ?", [
    unledgered.producer,
    unledgered.sequence,
  ]);

  const acknowledged = await file("all-again", ids);
  const flags = ["--endpoint", "write", "--wait", "2", "--acknowledged", acknowledged];
  const { exitCode, output } = await audit(...flags);
  for (const line of [
    `acknowledged and not stored: ${ids[0]?.replaceAll("-", "")}`,
    `purchases: batch ${unmarked.name} is stored and not ranked`,
    `purchases: batch ${deleted.name} has 0 rows, its ledger entry says 1`,
    `purchases: batch ${unledgered.name} has 1 rows, its ledger entry says 0`,
    "purchases: 1 batches are ranked and not in the ledger",
    "purchases: board store:3, member 3: rows say 4, the board 9",
    "purchases: board store:4, member 77: rows say 0, the board 9",
    "purchases: board item:888, member 1: rows say 0, the board 1",
    "purchases: board store:0, member 0: rows say 2, the board 4",
  ]) {
    expect(output).toContain(line);
  }
  expect(output).toContain("THEY DIFFER");
  expect(exitCode).toBe(1);
});

test.each([
  [["--domain", "cars"], 2, "--domain: expected one of purchases, "],
  [["--endpoint", "none"], 2, "Allowed choices are read, write"],
  [["--wait", "long"], 2, "expected a number of seconds"],
  [["--acknowledged", "/no/such/file"], 2, "there is no file /no/such/file"],
])("wrong usage is an error of one line: %j", async (flags, status, expected) => {
  const { exitCode, errors } = await audit(...flags);
  expect(errors).toContain(expected);
  expect(errors).not.toMatch(/\n\s+at /);
  expect(exitCode).toBe(status);
});

test("a line of the file that is no id is reported with its number", async () => {
  const wrong = await file("wrong", [ids[3] ?? "", "no id"]);
  const { exitCode, errors } = await audit("--wait", "2", "--acknowledged", wrong);
  expect(errors).toContain(`${wrong}, line 2: expected an event id, got no id`);
  expect(exitCode).toBe(2);
});

test.each([
  ["DATABASE_WRITE_URL", "mysql://u:p@127.0.0.1:9/x", "the database's write endpoint"],
  ["REDIS_URL", "redis://127.0.0.1:9", "Redis (REDIS_URL) does not respond"],
])("a server that does not respond is an error of one line: %s", async (variable, url, expected) => {
  const { exitCode, errors } = await runTally(system, ["audit"], { [variable]: url });
  expect(errors).toContain(expected);
  expect(errors).not.toMatch(/\n\s+at /);
  expect(exitCode).toBe(1);
});
