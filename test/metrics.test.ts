import { domains } from "@tally/domains";
import type { Status } from "@tally/telemetry";
import { expect, test, vi } from "vitest";
import { sell, sold } from "./kit/sales.ts";
import { openDatabase, startSystem } from "./kit/system.ts";

const system = await startSystem({ WRITER_THREADS: "1" });

async function purchases() {
  const status: Status = JSON.parse(await (await fetch(`${system.url}/status`)).text());
  const domain = status.domains.find(({ name }) => name === "purchases");
  return { ...domain, problems: status.problems };
}

const become = (expected: object) => expect.poll(() => purchases()).toMatchObject(expected);

// Batches that a thread holds are in no queue.
test("what a writer holds without storing it waits, and is reported as a stall", async () => {
  const database = openDatabase(system);
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const locking = database.transaction(async (transaction) => {
    await transaction.execute("LOCK TABLES purchases WRITE");
    locked.resolve();
    await release.promise;
    await transaction.execute("UNLOCK TABLES");
  });
  await locked.promise;
  await sold(system.url, 1);
  await become({
    queues: { ingest: { batches: 0, held: 1, events: 1 }, rank: { batches: 0, held: 0, events: 0 } },
    secondsToDrain: null,
    problems: ["purchases: events wait, and a stage or a process does not progress"],
  });
  release.resolve();
  await locking;
  await become({
    stored: { events: 1 },
    queues: { ingest: { batches: 0, held: 0, events: 0 } },
    secondsToDrain: 0,
    problems: [],
  });
});

test("each app serves its metrics, each once, and counts what it does", async () => {
  const [operatorUrl = ""] = system.operatorUrls;
  const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();
  const urls = {
    gateway: operatorUrl,
    writer: `http://127.0.0.1:${system.writer.port}`,
    ranker: `http://127.0.0.1:${system.ranker.port}`,
  };
  for (const [app, url] of Object.entries(urls)) {
    // After a look at the clock that was slow, the next one is 10 s later.
    await expect.poll(() => metricsOf(url), { timeout: 90_000 }).toMatch(/^tally_clock_offset_seconds -?\d/m);
    const types = (await metricsOf(url)).match(/(?<=^# TYPE )\w+ \w+$/gm) ?? [];
    expect(types).toContainEqual(expect.stringMatching(new RegExp(`^tally_${app}_`)));
    expect(new Set(types).size).toBe(types.length);
  }

  // Also of domains without traffic.
  const waiting = async () => (await metricsOf(urls.gateway)).match(/^tally_queue_messages.*$/gm)?.toSorted();
  await expect.poll(waiting).toEqual(domains.map(({ name }) => `tally_queue_messages{domain="${name}"} 0`).toSorted());

  await sell(system.url, 5);
  await fetch(`${system.url}/items/store/5`);
  await fetch(`${system.url}/items/store/none`);
  await fetch(`${system.url}/nothing`);
  const counted = (method: string, route: string, status: string, count = 1): string =>
    `tally_http_request_seconds_count{method="${method}",route="${route}",status="${status}"} ${count}`;
  await vi.waitFor(async () => {
    const counts = (await metricsOf(urls.gateway)).match(/^tally_http_request_seconds_count.*$/gm);
    expect(counts).toEqual(
      expect.arrayContaining([
        counted("POST", "/purchase/{storeID}/customer/{custID}/date/{date}", "201", 2),
        counted("GET", "/items/store/{storeID}", "200"),
        counted("GET", "/items/store/{storeID}", "400"),
        counted("any", "none", "404"),
      ]),
    );
  }, 30_000);
  await vi.waitFor(async () => {
    const [writer, ranker] = [await metricsOf(urls.writer), await metricsOf(urls.ranker)];
    for (const name of ["wait", "transaction", "stored_after", "announce"])
      expect(writer).toMatch(new RegExp(`^tally_writer_${name}_seconds_count\\{.*domain="purchases".*\\} 2$`, "m"));
    expect(writer).toMatch(/^tally_database_wait_seconds_count\{endpoint="write",thread="\d"\} [1-9]/m);
    for (const name of ["ranked_after", "rank"])
      expect(ranker).toMatch(new RegExp(`^tally_ranker_${name}_seconds_count\\{.*domain="purchases".*\\} 2$`, "m"));
    expect(ranker).toMatch(/^tally_threads\{state="ready"\} 1$/m);
  }, 30_000);
});
