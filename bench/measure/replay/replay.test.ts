import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { domains } from "@tally/domains";
import { eventIdOfKey } from "@tally/contract";
import { expect, onTestFinished, test } from "vitest";
import { loadOn, serverOf } from "../load/start-load.fixture.ts";
import { replayReport } from "./replay-report.ts";
import type { ReplayFile, ReplayPhase } from "./replay-phase.ts";
import { replaySchedule, type DueLine } from "./replay-schedule.ts";
import { scanReplay } from "./scan-replay.ts";

const purchases = domains.find(({ name }) => name === "purchases") ?? expect.unreachable("there are purchases");

/** An event id with a time, as the gateway makes it. */
const idAt = (ms: number, n = 0): string => {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
};
const noon = Date.UTC(2026, 10, 20, 12);
const saleOf = (store: number, idempotencyKey?: string) =>
  JSON.stringify({
    storeID: store,
    custID: 1,
    date: "20261120",
    items: [{ ItemID: 5, numberOfItems: 2 }],
    idempotencyKey,
  });

async function fileOf(...lines: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tally-replay-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, "day.ndjson");
  await writeFile(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

const phaseOf = (file: string, found: ReplayFile, more: Partial<ReplayPhase> = {}): ReplayPhase => ({
  model: "replay",
  file,
  speed: 60,
  keys: "same",
  id: "replay-1",
  found,
  part: 0,
  parts: 1,
  ...more,
});

async function dueLines(phase: ReplayPhase): Promise<readonly DueLine[]> {
  const all: DueLine[] = [];
  for await (const due of replaySchedule(phase)) all.push(due);
  return all;
}

/** Reads and schedules a file of sales; each line by its number and when it is due, in ms. */
async function scheduled(lines: readonly string[], more: Partial<ReplayPhase> = {}) {
  const file = await fileOf(...lines);
  const found = await scanReplay(file, purchases, "none");
  const all = await dueLines(phaseOf(file, found, more));
  return { found, due: all.map(({ line, dueMs }) => [line.number, dueMs] as const) };
}

test("bad lines are named by number and field before anything is sent, and the first ten are shown", async () => {
  const good = saleOf(1, idAt(noon));
  const file = await fileOf(
    good,
    "no JSON",
    "",
    saleOf(-1, idAt(noon)),
    good.replace('"ItemID":5', '"ItemID":"x"'),
    good.replace("20261120", "20260230"),
    good.replace('"custID":1,', ""),
    good.replace('"custID":1,', '"custID":1,"till":3,'),
    saleOf(1),
    saleOf(1, "two words"),
  );
  const text = await scanReplay(file, purchases, "same").then(
    () => "",
    (error: Error) => error.message,
  );
  expect(text.split("\n").map((line) => line.replace(`--replay: ${file}, `, ""))).toEqual([
    "line 2: expected a JSON object with the fields of an event",
    expect.stringMatching(/^line 4: storeID: expected an integer from 0 to \d+, got "?-1/),
    expect.stringMatching(/^line 5: items\[0\]\.ItemID: expected an integer/),
    expect.stringMatching(/^line 6: date: expected .*20260230/),
    expect.stringMatching(/^line 7: custID: expected .*got nothing/),
    expect.stringMatching(/^line 8: till: expected no such field/),
    expect.stringMatching(/^line 9: idempotencyKey: expected a key/),
    expect.stringMatching(/^line 10: idempotencyKey: expected 1 to 255 visible ASCII characters/),
  ]);
  const many = await fileOf(...Array.from({ length: 13 }, () => "{}"));
  await expect(scanReplay(many, purchases, "same")).rejects.toThrow(
    /line 10: .*\n--replay: .*: 3 more lines are wrong$/,
  );
  await expect(scanReplay(await fileOf(""), purchases, "same")).rejects.toThrow("has no events");
  await expect(scanReplay("/no/such/file", purchases, "same")).rejects.toThrow(
    "--replay: /no/such/file cannot be read: ENOENT",
  );
  await expect(scanReplay(await fileOf("x".repeat(2 ** 20 + 1)), purchases, "same")).rejects.toThrow(
    "line 1: expected at most 1048576 bytes",
  );
});

test("lines are due at the times in their ids, divided by the speed; a line behind a later one is due with it", async () => {
  const { found, due } = await scheduled([
    saleOf(1, idAt(noon)),
    saleOf(2, idAt(noon + 60_000)),
    saleOf(3, idAt(noon + 30_000)),
    saleOf(4, idAt(noon + 3_600_000)),
  ]);
  expect(found).toEqual({ lines: 4, timed: 4, firstMs: noon, lastMs: noon + 3_600_000, disordered: 1 });
  expect(due).toEqual([
    [1, 0],
    [2, 1000],
    [3, 1000],
    [4, 60_000],
  ]);
});

test("lines without a time are spread evenly over the others' time, wherever they are in the file", async () => {
  const keyed = (n: number) => saleOf(n, eventIdOfKey("store", String(n)));
  const { found, due } = await scheduled([
    keyed(1),
    saleOf(2, idAt(noon)),
    saleOf(3, idAt(noon + 240_000)),
    keyed(4),
    saleOf(5),
    keyed(6),
  ]);
  expect(found).toMatchObject({ lines: 6, timed: 2 });
  expect(due).toEqual([
    [2, 0],
    [1, 500],
    [4, 1500],
    [5, 2500],
    [6, 3500],
    [3, 4000],
  ]);
});

test("a file without any time is a day", async () => {
  const { due } = await scheduled([saleOf(1), saleOf(2, "a-key"), saleOf(3)], { speed: 3600 });
  expect(due).toEqual([
    [1, 4000],
    [2, 12_000],
    [3, 20_000],
  ]);
});

test("threads share the lines, and each line is one thread's", async () => {
  const lines = Array.from({ length: 7 }, (_, n) => saleOf(n, n % 2 === 0 ? idAt(noon + n) : "a-key"));
  const parts = await Promise.all([0, 1, 2].map((part) => scheduled(lines, { part, parts: 3 })));
  expect(parts.flatMap(({ due }) => due.map(([line]) => line)).toSorted((a, b) => a - b)).toEqual([
    1, 2, 3, 4, 5, 6, 7,
  ]);
  expect(parts.map(({ due }) => due.length)).toEqual([3, 2, 2]);
});

test("a file that changes after its scan ends the replay", async () => {
  const file = await fileOf(saleOf(1), saleOf(2));
  const found = await scanReplay(file, purchases, "none");
  await writeFile(file, `${saleOf(1)}\n`);
  await expect(dueLines(phaseOf(file, found))).rejects.toThrow(
    "has changed since the replay began: 1 events instead of 2",
  );
});

/** Replays sales 600 ms apart, at a speed of 6, to a server that keeps what arrives. */
async function replayed(more: Partial<ReplayPhase>, { connections = 4, threads = 1, holdMs = 0, apartMs = 600 } = {}) {
  const arrived: { path: string; key: string | undefined; ms: number }[] = [];
  let startedAt = 0;
  const server = await serverOf((request, response) => {
    const key = request.headers["idempotency-key"];
    arrived.push({ path: request.url ?? "", key: key?.toString(), ms: performance.now() - startedAt });
    request.resume();
    setTimeout(() => response.writeHead(201).end(), holdMs);
  });
  const file = await fileOf(...Array.from({ length: 6 }, (_, n) => saleOf(n, idAt(noon + n * apartMs, n))));
  const found = await scanReplay(file, purchases, "same");
  const phase = phaseOf(file, found, { speed: 6, ...more });
  const load = loadOn(server.url, { connections }, threads);
  startedAt = performance.now();
  const result = await load.run(phase);
  return { arrived, result, report: replayReport(phase, result.schedule) };
}

test("a replay sends each line once, no earlier than it is due", async () => {
  const { arrived, result, report } = await replayed({});
  expect(arrived.map(({ path, key }) => [path, key])).toEqual(
    Array.from({ length: 6 }, (_, n) => [`/purchase/${n}/customer/1/date/20261120`, idAt(noon + n * 600, n)]),
  );
  for (const [n, { ms }] of arrived.entries()) expect(ms).toBeGreaterThanOrEqual(n * 100 - 1);
  expect(result).toMatchObject({ sent: 6, accepted: 6, withoutResponse: 0 });
  expect(report).toMatchObject({ speed: 6, events: 6, originalSeconds: 3, untimed: 0, disordered: 0 });
  expect(report?.behindMs?.max).toBeGreaterThanOrEqual(report?.behindAtEndMs ?? Infinity);
});

test("threads share a replay", async () => {
  const { arrived, result, report } = await replayed({}, { threads: 2 });
  expect(new Set(arrived.map(({ path }) => path)).size).toBe(6);
  expect(result).toMatchObject({ sent: 6, accepted: 6 });
  expect(report).toMatchObject({ events: 6 });
});

test("lines that are due while all connections are busy are late, and their times count from when they were due", async () => {
  const { result, report } = await replayed({}, { connections: 1, holdMs: 100, apartMs: 0 });
  expect(result).toMatchObject({ sent: 6, accepted: 6 });
  // All are due at once, and each waits for the one before it.
  expect(report?.late).toBeGreaterThanOrEqual(5);
  expect(report?.behindAtEndMs).toBeGreaterThanOrEqual(490);
  expect(report?.behindMs?.max).toBeGreaterThanOrEqual(490);
  expect(result.slowestMs).toBeGreaterThanOrEqual(590);
});

test("keys are those of the file, others in each replay, or none", async () => {
  const keysOf = async (more: Partial<ReplayPhase>) =>
    (await replayed(more, { apartMs: 0 })).arrived.map(({ key }) => key ?? "none").toSorted((a, b) => (a < b ? -1 : 1));
  expect(await keysOf({})).toEqual(Array.from({ length: 6 }, (_, n) => idAt(noon, n)));
  expect(await keysOf({ keys: "none" })).toEqual(Array.from({ length: 6 }, () => "none"));
  const first = await keysOf({ keys: "new", id: "replay-1" });
  const second = await keysOf({ keys: "new", id: "replay-2" });
  expect(new Set([...first, ...second]).size).toBe(12);
});
