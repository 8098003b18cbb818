import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { expectRefused, sell } from "./kit/sales.ts";
import { startSystemWithServers } from "./kit/system.ts";
import { expectAllKept, expectEnd, runTally } from "./kit/tally.ts";

/*
 * Servers that are frozen, reject work or change their role. Each test ends with every acknowledged sale stored and
 * ranked once, and no other. status.long.test.ts kills them.
 */

// A busy machine may take seconds for many requests at once, and for a confirm.
const confirmWithinMs = 5000;
const system = await startSystemWithServers({
  CONFIRM_WITHIN_MS: String(confirmWithinMs),
  WAITING_MAX: "40",
  // Many small batches wait at a gateway, most of them not in flight.
  BATCH_EVENTS_MAX: "2",
  WRITER_THREADS: "1",
  WRITER_PREFETCH: "4",
});
const { operator } = system.services;
const [operatorUrl = ""] = system.operatorUrls;
const acknowledged: string[] = [];
let sales = 0;
// Sales without a 201: their outcome is unknown, so they are sent again with the same key.
const unknown: number[] = [];

async function post(n = sales++): Promise<Response> {
  const sale = { customer: n, item: n % 40, quantity: 1 + (n % 3), headers: { "idempotency-key": `sale-${n}` } };
  const response = await sell(system.url, n % 5, sale);
  if (response.status === 201) acknowledged.push(response.headers.get("tally-event-id") ?? "");
  else unknown.push(n);
  return response;
}
/** Sells, and sends what was not acknowledged before again. Each must get 201. */
async function sellAll(count: number): Promise<void> {
  for (const n of unknown.splice(0)) expect((await post(n)).status).toBe(201);
  for (let n = 0; n < count; n++) expect((await post()).status).toBe(201);
}
/** Servers that have just come back may not respond to the audit at once. */
const expectKept = () => vi.waitFor(() => expectAllKept(system, acknowledged), { timeout: 60_000, interval: 500 });
const untilReady = () => expect.poll(async () => (await fetch(`${operatorUrl}/health/ready`)).status).toBe(200);
const metricsOf = async (url = operatorUrl): Promise<string> => (await fetch(`${url}/metrics`)).text();
const sumOf = (metrics: string, pattern: RegExp): number =>
  Array.from(metrics.matchAll(pattern), ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);

test("a frozen broker: some requests wait, the others get 503 at once, and nothing is stored twice", async () => {
  const refused = async () =>
    sumOf(await metricsOf(), /^tally_gateway_errors_total\{status="503",code="[A-Z_]+"\} (\d+)$/gm);
  const before = await refused();
  system.server("rabbitmq").kill("SIGSTOP");
  onTestFinished(() => system.server("rabbitmq").kill("SIGCONT"));
  const sentAt = performance.now();
  const waited = Array.from({ length: 60 }, async () => {
    expectRefused(await post());
    return performance.now() - sentAt;
  });
  await expect.poll(() => metricsOf()).toMatch(/^tally_gateway_waiting_events\{domain="purchases"\} 40$/m);
  const waitedMs = await Promise.all(waited);
  expect((await refused()) - before).toBeGreaterThanOrEqual(60);
  system.server("rabbitmq").kill("SIGCONT");
  expect(waitedMs.filter((ms) => ms < confirmWithinMs - 500)).toHaveLength(20);
  // The limit counts from the arrival of each request, not from the end of the one before.
  expect(Math.max(...waitedMs)).toBeLessThan(2 * confirmWithinMs - 500);
  await untilReady();
  await sellAll(0);
  await expectKept();
});

test("a broker under an alarm of its memory: 503 at once, and intake continues when it ends", async () => {
  const watermark = (share: string) => operator.rabbitmqctl("set_vm_memory_high_watermark", share);
  await watermark("0");
  try {
    await expect.poll(async () => (await post()).status).toBe(503);
    const sentAt = performance.now();
    const responses = await Promise.all(Array.from({ length: 20 }, () => post()));
    expect(performance.now() - sentAt).toBeLessThan(confirmWithinMs - 500); // none waits for its confirm
    for (const response of responses) expectRefused(response);
  } finally {
    await watermark("0.4");
  }
  await untilReady();
  await sellAll(0);
  await expectKept();
});

const heldBy = async (queue: "ingest" | "rank"): Promise<number> => {
  const listed = await operator.rabbitmqctl("list_queues", "--quiet", "name", "messages_unacknowledged");
  return Number(new RegExp(`\\.${queue}\\.purchases\\t(\\d+)$`, "m").exec(listed)?.[1]);
};
const expectHeld = (queue: "ingest" | "rank", count: number) => expect.poll(() => heldBy(queue)).toBe(count);
/** All messages that the ranker has received, new to the rankings or not. */
const receivedByRanker = async (): Promise<number> =>
  sumOf(await metricsOf(`http://127.0.0.1:${system.ranker.port}`), /^tally_ranker_batches_total\{.*\} (\d+)$/gm);

test.each([
  // Those of the waiting transaction: the ledger has them when they are delivered again.
  ["ingest", 4, 4, "SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0"],
  ["rank", 0, 8, "REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"],
] as const)(
  "redeliveries of the %s queue are not processed twice while its consumer waits: of 20, at most %i are",
  async (queue, twiceMax, prefetch, leave, come) => {
    const order = (command: string) => (queue === "rank" ? operator.redis(command) : operator.sql(command));
    await expectHeld("rank", 0);
    const before = await receivedByRanker();
    await order(leave);
    try {
      await sellAll(20);
      for (let broken = 0; broken < 5; broken++) {
        await expectHeld(queue, prefetch);
        await operator.rabbitmqctl("close_all_connections", "test");
      }
      await expectHeld(queue, prefetch);
    } finally {
      await order(come);
    }
    await expectKept();
    // A database that is read-only, as in a failover, rejects no event.
    expect(await readFile(system.writer.logFile, "utf8")).not.toContain('"msg":"dead letter"');
    await expectHeld("rank", 0);
    const received = async () => (await receivedByRanker()) - before;
    await expect.poll(received).toBeGreaterThanOrEqual(20);
    expect(await received()).toBeLessThanOrEqual(20 + twiceMax);
  },
);

test("a discard of a dead letter gives up while the database is read-only", async () => {
  const id = "0190a1b2-c3d4-7e5f-8a9b-0123456789ab";
  const columns = "id, domain, stage, queue, message_id, reason, died_at, body, state";
  const values = `x'${id.replaceAll("-", "")}', 'purchases', 'event', 'q', '', 'r', 1, '', 'open'`;
  await operator.sql(`INSERT INTO tally_test.dead_letters (${columns}) VALUES (${values})`);
  await operator.sql("SET GLOBAL read_only = 1");
  try {
    const tally = { ...system, addresses: system.accounts.maintenance };
    expectEnd(await runTally(tally, ["dead-letters", "discard", id]), 3, "gave up after .*read-only");
  } finally {
    await operator.sql("SET GLOBAL read_only = 0");
  }
  await expectKept();
});
