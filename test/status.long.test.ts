import type { Status } from "@tally/telemetry";
import { expect, test, vi } from "vitest";
import { gatewayWith } from "./kit/limited-gateway.fixture.ts";
import { openStream } from "./kit/fronts.ts";
import { expectRefused, sell, sold } from "./kit/sales.ts";
import { startSystemWithServers } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

/*
 * What /status, an open stream and clients get when a server or a process is killed, and that all of them recover.
 * Every sale with a 201 is stored and ranked once, and no other.
 */

// These limits are shorter than the stream, and than the wait for a server that does not respond.
const system = await startSystemWithServers(
  {},
  { gatewayMain: gatewayWith({ headersWithinMs: 3000, bodyWithinMs: 3000 }) },
);
const board = "/stores/1/top-items";
const stream = await openStream(system.url, ["/status", board]);
const waited = { timeout: 90_000, interval: 50 };
const ids: string[] = [];
const sale = async () => void ids.push(await sold(system.url, 1));
const statusOf = async (url: string) => (await fetch(url)).status;

/** What clients get while a server does not respond. */
const clientsGet: Readonly<Record<string, () => Promise<unknown>>> = {
  redis: () => expect.poll(() => stream.latest(1)).toMatchObject({ status: 503 }),
  async rabbitmq() {
    expectRefused(await sell(system.url, 1));
    expect(await statusOf(`${system.url}/health/live`)).toBe(200);
    expect(await statusOf(`${system.operatorUrls[0]}/health/ready`)).toBe(503);
  },
  "database-replica": async () => expectRefused(await fetch(`${system.url}/steps/single/1/1`)),
  "database-primary": sale,
};

function status(): Status {
  const newest = stream.latest(0);
  expect(newest?.status).toBe(200);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of /status
  return newest?.body as Status;
}
const queuesOf = ({ domains }: Status) =>
  domains.find(({ name }) => name === "purchases")?.queues ?? expect.fail("there is no domain purchases");
const becomes = (check: (now: Status) => void) => vi.waitFor(() => check(status()), waited);
const isOk = () =>
  becomes((now) => expect({ problems: now.problems, drain: now.secondsToDrain }).toEqual({ problems: [], drain: 0 }));

test("names every process with its threads, and the flow of events", async () => {
  await isOk();
  await becomes(({ processes, servers }) => {
    expect(servers.map(({ name, state }) => [name, state])).toEqual([
      ["broker", "up"],
      ["databaseWrite", "up"],
      ["databaseRead", "up"],
      ["redis", "up"],
    ]);
    const named = processes.map(({ app, pid, state, threads }) => [app, pid, state, threads.map((one) => one.state)]);
    expect(named.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ["gateway", system.gateway.pid, "up", []],
      ["ranker", system.ranker.pid, "up", ["ready"]],
      ["writer", system.writer.pid, "up", ["ready", "ready"]],
    ]);
  });
  for (let n = 0; n < 20; n++) await sale();
  await becomes(({ domains, replicaLagMs, deadLetters }) => {
    const purchases = domains.find(({ name }) => name === "purchases");
    expect(purchases).toMatchObject({ accepted: { events: 20 }, stored: { events: 20 }, secondsToDrain: 0 });
    expect(purchases?.ranked.events).toBe(20);
    expect(purchases?.lastStoredAt).not.toBeNull();
    expect(replicaLagMs).toBe(0);
    expect(deadLetters).toEqual({ open: 0, parked: 0, replayed: 0, discarded: 0 });
  });
  // Hops and rates cover the last 10 s, so a sale is sent before each look.
  await vi.waitFor(async () => {
    await sale();
    const { domains, hops } = status();
    expect(domains.find(({ name }) => name === "purchases")?.stored.perSecond).toBeGreaterThan(0);
    expect(hops.map(({ name }) => name).toSorted()).toEqual([
      "confirmed-responded",
      "received-sealed",
      "sealed-confirmed",
      "sealed-stored",
      "stored-ranked",
    ]);
    for (const { p50Ms, p99Ms } of hops) expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
  }, waited);
});

test.each([
  ["redis", "redis", "Redis does not respond", ["SIGKILL", "SIGSTOP"]],
  ["rabbitmq", "broker", "the broker does not respond", ["SIGKILL"]],
  ["database-replica", "databaseRead", "the database's read endpoint does not respond", ["SIGSTOP"]],
  ["database-primary", "databaseWrite", "the database's write endpoint does not respond", ["SIGKILL"]],
] as const)(
  "while %s is killed or frozen, the status says so, reports the rest, and recovers",
  async (server, name, problem, signals) => {
    for (const signal of signals) {
      await isOk();
      system.server(server).kill(signal);
      await becomes((now) => {
        expect(now.problems).toContain(problem);
        expect(now.state).toBe("failing");
        const others = now.servers.filter((one) => one.name !== name);
        expect(others.map(({ state }) => state)).toEqual(["up", "up", "up"]);
      });
      await clientsGet[server]?.();
      await becomes((now) => expect(now.processes).toHaveLength(server === "redis" ? 0 : 3));
      if (signal === "SIGSTOP") system.server(server).kill("SIGCONT");
      else await system.server(server).start();
    }
    await isOk();
    await expect.poll(() => stream.latest(1)?.status).toBe(200);
    await sale();
  },
);

test("a writer that is killed is gone, what waits is seen, and both pass when it is back", async () => {
  await isOk();
  system.writer.kill("SIGKILL");
  const forgottenAt = performance.now() + 60_000;
  await becomes((now) => expect(now.problems).toContain("no writer is running"));
  const { ingest } = queuesOf(status());
  await sale();
  await becomes((now) => {
    expect(now.problems).toContain("no writer is running");
    expect(now.processes.find(({ app }) => app === "writer")?.state).toBe("gone");
    expect(now.problems).toContain("purchases: events wait, and a stage or a process does not progress");
    expect(now.secondsToDrain).toBeNull();
    expect(queuesOf(now).ingest.batches).toBe((ingest.batches ?? 0) + 1);
  });
  await expect
    .poll(async () => (await fetch(`${system.operatorUrls[0]}/metrics`)).text())
    .toContain(`tally_queue_messages{domain="purchases"} ${(ingest.batches ?? 0) + 1}\n`);
  await system.writer.start();
  // The one that died is shown for a minute, unless the new one has needed as long to start.
  const leftMs = forgottenAt - 5000 - performance.now();
  const gone = [expect.stringMatching(/^writer on .* sends no heartbeat$/)];
  if (leftMs > 15_000) await expect.poll(() => status().problems, { timeout: leftMs }).toEqual(gone);
  await becomes((now) => expect(now.secondsToDrain).toBe(0));
});

test("the stream was never interrupted; nothing is lost, doubled or stored without a 201", async () => {
  await expectAllKept(system, ids);
  expect(stream.events.filter(({ event }) => event === "beat").length).toBeGreaterThan(5);
});
