import type { Status } from "@tally/telemetry";
import { expect, test, vi } from "vitest";
import { sold } from "./kit/sales.ts";
import { openDatabase, startSystem } from "./kit/system.ts";

/* Batches that a thread holds are in no queue: /status counts them as waiting. */

const system = await startSystem({ WRITER_THREADS: "1" });
const database = openDatabase(system);
const waited = { timeout: 30_000 };

async function purchases() {
  const response = await fetch(`${system.url}/status`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of /status
  const status = (await response.json()) as Status;
  const domain = status.domains.find(({ name }) => name === "purchases");
  return { ...domain, problems: status.problems };
}

test("what a writer holds without storing it waits, and is reported as a stall", async () => {
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
  await vi.waitFor(async () => {
    expect(await purchases()).toMatchObject({
      queues: { ingest: { batches: 0, held: 1, events: 1 }, rank: { batches: 0, held: 0, events: 0 } },
      secondsToDrain: null,
      problems: ["purchases: events wait, and a stage or a process does not progress"],
    });
  }, waited);
  release.resolve();
  await locking;
  await vi.waitFor(async () => {
    expect(await purchases()).toMatchObject({
      stored: { events: 1 },
      queues: { ingest: { batches: 0, held: 0, events: 0 } },
      secondsToDrain: 0,
      problems: [],
    });
  }, waited);
});
