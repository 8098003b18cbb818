import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Purchase } from "@tally/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { root } from "./kit/programs.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { runTally } from "./kit/tally.ts";

/*
 * packages/client while gateway and till are killed. Each sale has its own customer: the rows say how often it was
 * stored.
 */

// Each step may take two minutes on a busy machine.
vi.setConfig({ testTimeout: 10 * 60_000 });

const tillMain = join(root, "packages", "client", "examples", "till.ts");

const saleOf = (custID: number): Purchase => ({
  storeID: custID % 7,
  custID,
  date: "20261120",
  items: [1, 2, 3].map((n) => ({ ItemID: (custID * n) % 50, numberOfItems: n })),
});

/** Tills one after the other, with one journal. `kept`, `unknown`: customers whose sales must, or may, be stored. */
function openTills(url: string, journal: string) {
  const kept: number[] = [];
  const unknown: number[] = [];
  let next = 0;

  /** Starts a till. It always has some sales on its stdin that it has not kept yet. */
  function start() {
    const first = next;
    const environment = { PATH: process.env["PATH"], TALLY_URL: url };
    const till = spawn(process.execPath, [tillMain, journal], { env: environment, stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void till.kill("SIGKILL"));
    // A till that is killed does not read to the end.
    till.stdin.on("error", () => undefined);
    let [written, keptNow, lastLine] = [0, 0, ""];
    const write = (): void => void till.stdin.write(`${JSON.stringify(saleOf(first + written++))}\n`);
    for (let n = 0; n < 20; n++) write();
    createInterface({ input: till.stdout }).on("line", (line) => {
      lastLine = line;
      if (!line.startsWith("kept ")) return;
      kept.push(first + keptNow++);
      if (till.stdin.writable) write();
    });
    const closed = once(till, "close");
    return {
      untilKept: (count: number) =>
        expect.poll(() => keptNow, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(count),
      async kill(): Promise<void> {
        till.kill("SIGKILL");
        await closed;
        expect(keptNow).toBeLessThan(written);
        // The sale that it was about to keep: its add() had not resolved, so it may be there or not.
        unknown.push(first + keptNow);
        next = first + keptNow + 1;
      },
      async end(): Promise<string> {
        till.stdin.end();
        await closed;
        expect(keptNow).toBe(written);
        next = first + keptNow;
        return lastLine;
      },
    };
  }
  return { kept, unknown, start };
}

test("a till of twenty lines loses and doubles no sale, although it and the gateway are killed", async () => {
  const system = await startSystem();
  const database = openDatabase(system);
  const journal = join(await temporaryDirectory(), "till.ndjson");
  const { kept, unknown, start } = openTills(system.url, journal);

  const beside = start();
  await beside.untilKept(150);
  system.gateway.kill("SIGKILL");
  await beside.untilKept(400);
  await beside.kill();
  const offline = start();
  await offline.untilKept(300);
  await offline.kill();
  const back = start();
  await back.untilKept(100);
  await system.gateway.start();
  await back.untilKept(300);
  await back.kill();
  // Tills have kept sales all the time that the gateway took to start: their delivery may need more than the 10 s of
  // one close().
  const ends: string[] = [];
  while (ends.at(-1) !== "all delivered") {
    const till = start();
    await till.untilKept(100);
    ends.push(await till.end());
    expect(ends.at(-1)).toMatch(/^all delivered$|^\d+ sales wait in the journal for the next start$/);
  }

  const select = "SELECT customer_id AS customer, COUNT(*) AS n FROM purchases GROUP BY customer_id";
  const check = async (): Promise<void> => {
    const rows = await database.writer.query<{ customer: number; n: number }>(select);
    const timesStored = new Map(rows.map(({ customer, n }) => [customer, n]));
    expect(kept.filter((customer) => timesStored.get(customer) !== 1)).toEqual([]);
    const expected = new Set([...kept, ...unknown]);
    expect(rows.filter(({ customer, n }) => n !== 1 || !expected.has(customer))).toEqual([]);
  };
  await vi.waitFor(check, { timeout: 120_000, interval: 500 });
  expect(kept.length).toBeGreaterThan(1000);
  expect(await readFile(journal, "utf8")).toBe("");
  const audited = async () => expect(await runTally(system, ["audit"])).toMatchObject({ exitCode: 0 });
  await vi.waitFor(audited, { timeout: 120_000, interval: 1000 });
});
