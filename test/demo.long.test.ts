import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { listen } from "@tally/local/at-end";
import { runProgram } from "./kit/programs.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { tallyJson } from "./kit/tally.ts";

// On a busy machine.
const main = join(import.meta.dirname, "..", "bench", "demo", "main.ts");
const system = await startSystem();
const database = openDatabase(system);
// A day in about 4 s.
const fast = ["--url", system.url, "--speed", "20000", "--stores", "2", "--check-within", "200"];

const demo = (...flags: readonly string[]) => runProgram(process.execPath, [main, ...flags]);

async function rows(): Promise<Readonly<Record<string, number>>> {
  const counted = await database.writer.query<{ store: number; day: string; count: number }>(
    `SELECT store_id AS store, DATE_FORMAT(purchased_on, '%Y%m%d') AS day, COUNT(*) AS count
     FROM purchases GROUP BY store_id, day`,
  );
  return Object.fromEntries(counted.map(({ store, day, count }) => [`${store} ${day}`, count]));
}
const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

test("a day is stored once and ranked, with local dates and all domains; the same day again adds nothing", async () => {
  const flags = [...fast, "--purchases", "900", "--seed", "7"];
  const { exitCode, output, errors } = await demo(...flags);
  expect({ exitCode, errors, output }).toMatchObject({ exitCode: 0, errors: "" });
  expect(output).toContain("900 purchases of 6 stores");
  expect(output).toMatch(/store \d is offline and keeps its purchases/);
  expect(output).toMatch(/acknowledged {2}900 purchases/);
  expect(output).toMatch(/kept {10}\d+ purchases of store \d while it was offline; \d+ had arrived before/);
  expect(output).toMatch(/taken back {4}[2-9]\d voids and refunds/);
  expect(output).toMatch(/(9\d\d) of \1 acknowledged events are stored and ranked/);
  const stored = await rows();
  expect(total(stored)).toBe(900);
  const days = [...new Set(Object.keys(stored).map((key) => key.slice(2)))].toSorted();
  const [today = "", tomorrow] = days.map((day) => day.replace(/(..)(..)$/, "-$1-$2"));
  expect([days.length, tomorrow]).toEqual([2, Temporal.PlainDate.from(today).add({ days: 1 }).toString()]);
  for (const path of [
    "/albums/top",
    "/swipes/top",
    "/steps/top?day=1",
    "/resort/day/top10vert?resort=silverMt&dayID=1",
  ]) {
    // The demo does not wait for the rankings of the other domains.
    const board = async () => JSON.stringify(await (await fetch(system.url + path)).json());
    await expect.poll(async () => [path, (await board()).length > 100]).toEqual([path, true]);
  }
  const names = await Promise.all(
    ["/stores/1", "/items/10000"].map(async (path) => (await fetch(system.url + path)).json()),
  );
  expect(names).toMatchObject([
    { name: "Broadway", region: "East" },
    { name: "Rye bread, classic", category: "Bakery" },
  ]);
  const again = await demo(...flags, "--day", days[0] ?? "");
  expect(again).toMatchObject({ exitCode: 0, errors: "" });
  expect(await rows()).toEqual(stored);
  const audit = await tallyJson(system, "audit");
  expect(audit).toMatchObject({ agrees: true, underWay: [], audit: { lost: 0, doubled: 0 } });
});

test("without a gateway, and with wrong flags, one line says what to do, and the exit status is 2", async () => {
  expect(await demo("--url", "http://127.0.0.1:1")).toMatchObject({
    exitCode: 2,
    output: "",
    errors: expect.stringMatching(/^demo: http:\/\/127\.0\.0\.1:1 does not respond: .*\nStart a tally with `pnpm dev`/),
  });
  const wrong = await demo("--day", "20260230");
  expect(wrong).toMatchObject({ exitCode: 2, errors: expect.stringContaining("expected a date as yyyymmdd") });
});

test("purchases that are rejected, never ranked, or doubled by a retry are reported; exit status 1", async () => {
  let ids = 0;
  // Rejects the first purchase of each store, gives the others new ids at every request, and ranks nothing.
  const resultOf = (line: string, index: number) =>
    line.endsWith(`-0"}`) ? { index, status: 400, error: "items: no" } : { index, status: 201, id: `event-${ids++}` };
  const { url } = await listen(async (request, response) => {
    if (request.method === "GET") return response.end('{"stored":true,"ranked":false,"items":[]}');
    const results = (await text(request)).split("\n").map(resultOf);
    response.writeHead(201, { "Tally-Event-Id": `event-${ids++}` });
    return response.end(JSON.stringify({ results }));
  });
  const flags = ["--url", url, "--speed", "20000", "--stores", "1", "--purchases", "600"];
  const { exitCode, output } = await demo(...flags, "--seed", "3", "--check-within", "1");
  expect(output).toContain("unknown       3 purchases without a 2xx\n");
  expect(output).toContain("rejected      3; the first: POST /purchases: 400 items: no\n");
  expect(output).toMatch(/doubled {7}[1-9]\d* retries got another id/);
  expect(output).toMatch(/check {9}0 of 6\d\d acknowledged events are stored and ranked/);
  expect(output).toMatch(/missing: event-\d+/);
  expect(exitCode).toBe(1);
});
