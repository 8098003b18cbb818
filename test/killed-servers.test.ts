import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startApps, startPrivateServices, type Apps, type Services } from "@tally/local";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { cellsOfBoards, cellsOfRows, openDatabase } from "./rankings-equal-rows.ts";
import { RawConnection } from "./http/raw-connection.ts";

const root = join(import.meta.dirname, "..");
const directory = join(root, ".tally", `test-${randomBytes(4).toString("hex")}`);
const limits = {
  CONFIRM_WITHIN_MS: "1500",
  WAITING_MAX: "40",
  // What waits at the door are many batches, most of them not under way.
  BATCH_EVENTS_MAX: "5",
  BATCHES_IN_FLIGHT_MAX: "2",
  WRITER_THREADS: "1",
  WRITER_PREFETCH: "4",
  HEALTH_KEPT_MS: "0",
};
let services: Services;
let apps: Apps;

beforeAll(async () => {
  const say = () => undefined;
  services = await startPrivateServices({ directory, database: "tally_test", say });
  const environment = { PATH: process.env["PATH"], ...limits };
  apps = await startApps({
    root,
    directory: `${directory}-apps`,
    addresses: services.addresses,
    accounts: services.accounts,
    port: 0,
    environment,
    say,
  });
});
afterAll(async () => {
  await apps?.stop();
  await services?.stop();
  await rm(`${directory}-apps`, { recursive: true, force: true });
});

// Servers of its own: they are killed here.
const server = (name: string) => {
  const found = services.servers.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no server ${name}`);
  return found;
};
const system = () => ({ ...apps, namespace: "tally", addresses: services.addresses });

let sales = 0;
const acknowledged = new Map<string, string>();
async function post(): Promise<Response> {
  const n = sales++;
  const response = await fetch(`${apps.url}/purchase/${n % 5}/customer/${n}/date/20261120`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": `sale-${n}` },
    body: JSON.stringify({ items: [{ ItemID: n % 40, numberOfItems: 1 + (n % 3) }] }),
  });
  await response.arrayBuffer();
  if (response.status === 201) acknowledged.set(response.headers.get("tally-event-id") ?? "", `sale-${n}`);
  return response;
}
async function sell(count: number): Promise<void> {
  for (let n = 0; n < count; n++) expect((await post()).status).toBe(201);
}

/** Every acknowledged sale is a row, and every board equals the rows. */
async function expectEqual(sold: number): Promise<void> {
  expect(acknowledged.size).toBe(sold);
  const database = openDatabase(system());
  try {
    await vi.waitFor(
      async () => {
        const rows = await database.writer.query<{ id: string }>("SELECT LOWER(HEX(id)) AS id FROM purchases");
        const stored = new Set(rows.map(({ id }) => id));
        const lost = [...acknowledged].filter(([id]) => !stored.has(id.replaceAll("-", "")));
        expect({ lost, rows: rows.length }).toEqual({ lost: [], rows: sold });
        expect(await cellsOfBoards(system())).toEqual(await cellsOfRows(database));
      },
      { timeout: 60_000, interval: 500 },
    );
  } finally {
    await database.close();
  }
}

// One after the other, in this order: each builds on what the ones before have stored.
test("what a killed Redis has forgotten comes back from the ledger, and storing goes on meanwhile", async () => {
  await sell(200);
  await expectEqual(200);
  server("redis").kill("SIGKILL");
  await sell(100);
  // It keeps a snapshot every five minutes, so it comes back with nothing of all this.
  await server("redis").start();
  await expectEqual(300);
}, 120_000);

test("while the database is away sales are acknowledged, and stored when it is back; a writer holds no more than its prefetch", async () => {
  server("database-primary").kill("SIGKILL");
  await sell(50);
  await vi.waitFor(
    async () => {
      const columns = ["name", "messages_unacknowledged", "messages_ready"];
      const queues = await services.operator?.rabbitmqctl("list_queues", "--quiet", ...columns);
      expect(queues).toMatch(/\.ingest\.purchases\t4\t46$/m);
    },
    { timeout: 30_000, interval: 500 },
  );
  await server("database-primary").start();
  await sell(10);
  await expectEqual(360);
}, 120_000);

test("while the broker is away the answer is 503 with Retry-After; what was acknowledged is stored once, the rest not at all", async () => {
  server("rabbitmq").kill("SIGKILL");
  const refused = await post();
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await fetch(`${apps.url}/health/live`)).status).toBe(200);
  expect((await fetch(`${apps.operatorUrls[0]}/health/ready`)).status).toBe(503);
  await server("rabbitmq").start();
  await vi.waitFor(async () => expect((await fetch(`${apps.operatorUrls[0]}/health/ready`)).status).toBe(200), 20_000);
  await sell(40);
  await expectEqual(400);
}, 120_000);

test("a broker that does not answer: so many wait, the others hear 503 at once, and nothing is stored twice", async () => {
  server("rabbitmq").kill("SIGSTOP");
  const begunAt = performance.now();
  const answered = Array.from({ length: 60 }, async () => {
    const response = await post();
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    return performance.now() - begunAt;
  });
  await delay(700);
  expect(await (await fetch(`${apps.operatorUrls[0]}/metrics`)).text()).toMatch(
    /^tally_gateway_waiting_events\{domain="purchases"\} 40$/m,
  );
  const waitedMs = await Promise.all(answered);
  const metrics = await (await fetch(`${apps.operatorUrls[0]}/metrics`)).text();
  const refused = metrics.matchAll(/^tally_gateway_errors_total\{status="503",code="[A-Z_]+"\} (\d+)$/gm);
  const refusals = Array.from(refused, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
  expect(refusals).toBeGreaterThanOrEqual(60);
  expect(refusals).toBeLessThan(70);
  server("rabbitmq").kill("SIGCONT");
  expect(waitedMs.filter((ms) => ms < 1000)).toHaveLength(20);
  // Of the rest none waits for the others first: the limit counts from when it came.
  expect(Math.max(...waitedMs)).toBeLessThan(4000);
  // Their outcome is unknown to the clients: sent again with the same key, each is stored once.
  sales -= 60;
  await vi.waitFor(async () => expect((await fetch(`${apps.operatorUrls[0]}/health/ready`)).status).toBe(200), 20_000);
  await sell(60);
  await expectEqual(460);
}, 120_000);

const linesOf = async (app: "gateway" | "writer" | "ranker", text: string): Promise<number> =>
  (await readFile(apps[app].logFile, "utf8")).split("\n").filter((line) => line.includes(text)).length;

test("a database that becomes read-only, as in a failover, is waited for: nothing is a dead letter, and one line tells of it", async () => {
  const before = await linesOf("writer", "cannot use the database");
  await services.operator?.sql("SET GLOBAL read_only = 1");
  try {
    await sell(30);
    await vi.waitFor(
      async () => expect(await linesOf("writer", "cannot use the database")).toBeGreaterThan(before),
      10_000,
    );
    await delay(2500); // some attempts more
  } finally {
    await services.operator?.sql("SET GLOBAL read_only = 0");
  }
  await sell(10);
  await expectEqual(500);
  expect((await linesOf("writer", "cannot use the database")) - before).toBeLessThanOrEqual(1);
  expect(await linesOf("writer", '"msg":"dead letter"')).toBe(0);
}, 120_000);

test.each([
  ["memory", "set_vm_memory_high_watermark", "0", "0.4"],
  ["disk", "set_disk_free_limit", "9999GB", "500MB"],
])(
  "a broker under an alarm of its %s: 503 at once, and intake goes on when it is lifted",
  async (_what, command, alarm, normal) => {
    const [first, before] = [sales, acknowledged.size];
    await services.operator?.rabbitmqctl(command, alarm);
    try {
      await vi.waitFor(async () => expect((await post()).status).toBe(503), 20_000);
      const begunAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 20 }, post));
      expect(performance.now() - begunAt).toBeLessThan(1000); // a confirm would be waited for 1.5 s
      for (const answer of answers) {
        expect(answer.status).toBe(503);
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
    } finally {
      await services.operator?.rabbitmqctl(command, normal);
    }
    await vi.waitFor(
      async () => expect((await fetch(`${apps.operatorUrls[0]}/health/ready`)).status).toBe(200),
      20_000,
    );
    // Sent again with their keys: each is stored once.
    const sold = sales - first;
    sales = first;
    await sell(sold);
    await expectEqual(before + sold);
  },
  120_000,
);

test("an outage is one line, however often it is tried to connect", async () => {
  const count = async () => ({
    lost: await linesOf("gateway", "lost the connection to the broker"),
    gateway: await linesOf("gateway", "{"),
    redis: await linesOf("ranker", "cannot connect to Redis"),
  });
  const before = await count();
  server("rabbitmq").kill("SIGKILL");
  server("redis").kill("SIGKILL");
  await delay(5000);
  await Promise.all([server("rabbitmq").start(), server("redis").start()]);
  await vi.waitFor(async () => expect((await fetch(`${apps.operatorUrls[0]}/health/ready`)).status).toBe(200), 30_000);
  const after = await count();
  expect(after.lost - before.lost).toBe(1);
  expect(after.redis - before.redis).toBe(1);
  // Lost, not reached (in some of a socket's words), connected, for the broker and for Redis; some twenty attempts were made.
  expect(after.gateway - before.gateway).toBeLessThanOrEqual(10);
  const sold = acknowledged.size;
  await sell(9);
  await expectEqual(sold + 9);
}, 120_000);

test("while the read endpoint is away what needs it is 503 with Retry-After, the rest goes on, and one line tells of it", async () => {
  const query = () => fetch(`${apps.url}/purchases?storeID=1&limit=1`);
  const lines = async () => [
    await linesOf("gateway", "cannot use the database"),
    await linesOf("gateway", "recovered: use the database"),
  ];
  expect((await query()).status).toBe(200);
  const [away = 0, back = 0] = await lines();
  const sold = acknowledged.size;
  server("database-replica").kill("SIGKILL");
  for (let n = 0; n < 5; n++) {
    const refused = await query();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  await sell(10);
  await server("database-replica").start();
  await vi.waitFor(async () => expect((await query()).status).toBe(200), 20_000);
  await vi.waitFor(async () => expect(await lines()).toEqual([away + 1, back + 1]), 10_000);
  await expectEqual(sold + 10);
}, 120_000);

test("while Redis is away or frozen rankings are 503 with Retry-After, and so are rows while the read endpoint is frozen", async () => {
  const ask = async (path: string) => {
    const answer = await fetch(apps.url + path);
    await answer.arrayBuffer();
    return [answer.status, Number(answer.headers.get("retry-after")) > 0];
  };
  const board = "/items/store/5";
  expect(await ask(board)).toEqual([200, false]);
  server("redis").kill("SIGSTOP");
  expect(await ask(board)).toEqual([503, true]);
  server("redis").kill("SIGKILL");
  expect(await ask(board)).toEqual([503, true]);
  await server("redis").start();
  await vi.waitFor(async () => expect(await ask(board)).toEqual([200, false]), 20_000);

  const rows = "/purchases?storeID=1&limit=1";
  server("database-replica").kill("SIGSTOP");
  expect(await ask(rows)).toEqual([503, true]);
  server("database-replica").kill("SIGCONT");
  await vi.waitFor(async () => expect(await ask(rows)).toEqual([200, false]), 20_000);
  await expectEqual(acknowledged.size);
}, 120_000);

test("a read endpoint that does not answer: all who ask hear 503 with Retry-After, the last without a statement, and it is asked again when it goes on", async () => {
  // Of one connection 64 requests are in flight at most.
  const connections = Array.from({ length: 40 }, () => new RawConnection(apps.url));
  const [connection] = connections;
  if (connection === undefined) throw new TypeError("expected a connection");
  const ofEach = 55;
  const pathOf = (user: number) => `/steps/single/${user}/1`;
  server("database-replica").kill("SIGSTOP");
  try {
    // More than the statements hold that are under way within the time that a request waits for its turn.
    const asked = connections.map((one, index) =>
      one.getAll(Array.from({ length: ofEach }, (_, user) => pathOf(index * ofEach + user))),
    );
    const answers = (await Promise.all(asked)).flat();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(answers.every(({ headers }) => headers.has("retry-after"))).toBe(true);
    expect(answers.filter(({ body }) => body.includes("too many reads are waiting"))).not.toEqual([]);
  } finally {
    server("database-replica").kill("SIGCONT");
  }
  await vi.waitFor(async () => expect((await connection.get(pathOf(1))).body).toBe("0"), 20_000);
  for (const one of connections) one.end();
}, 120_000);

test("a Redis that becomes a replica, as in a failover, is left and looked for anew until it takes what was sold meanwhile", async () => {
  const redis = new Redis(services.addresses.redisUrl);
  const connections = async (): Promise<number> =>
    Number(/total_connections_received:(\d+)/.exec(await redis.info("stats"))?.[1]);
  const sold = acknowledged.size;
  await redis.replicaof("127.0.0.1", 1);
  const before = await connections();
  try {
    await sell(20);
    await vi.waitFor(async () => expect(await linesOf("ranker", "cannot rank purchases")).toBeGreaterThan(0), 20_000);
    await vi.waitFor(async () => expect(await connections()).toBeGreaterThan(before + 1), 20_000);
  } finally {
    await redis.replicaof("NO", "ONE");
    redis.disconnect();
  }
  await expectEqual(sold + 20);
}, 120_000);

test("a gateway that stops answers what it has in hand when its confirms come, and takes nothing more meanwhile", async () => {
  const sold = acknowledged.size;
  server("rabbitmq").kill("SIGSTOP");
  const answers = Array.from({ length: 20 }, post);
  await vi.waitFor(async () =>
    expect(await (await fetch(`${apps.operatorUrls[0]}/metrics`)).text()).toMatch(
      /^tally_gateway_waiting_events\{.*\} 20$/m,
    ),
  );
  const stopped = apps.gateway.stop();
  await vi.waitFor(() => expect(fetch(`${apps.url}/health/live`)).rejects.toThrow("fetch failed"));
  server("rabbitmq").kill("SIGCONT");
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(await stopped).toBe(0);
  await apps.gateway.start();
  await expectEqual(sold + 20);
}, 120_000);

const heldBy = async (queue: "ingest" | "rank"): Promise<number> => {
  const listed = await services.operator?.rabbitmqctl("list_queues", "--quiet", "name", "messages_unacknowledged");
  return Number(new RegExp(`\\.${queue}\\.purchases\\t(\\d+)$`, "m").exec(listed ?? "")?.[1]);
};
/** All that the ranker was ever handed, whether it was new to the rankings or not. */
const handedToRanker = async (): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${apps.ranker.port}/metrics`)).text();
  const counts = [...metrics.matchAll(/^tally_ranker_batches_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

const handedOn = () => vi.waitFor(async () => expect(await heldBy("rank")).toBe(0), 20_000);

test.each([
  // Those in the transaction that waits: the ledger knows them when they come again.
  ["ingest", 4, 4, "SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0"],
  ["rank", 0, 8, "REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"],
] as const)(
  "what comes again from the %s queue with each broken connection does not pile up while its consumer waits: of 20, %i at most are worked on twice",
  async (queue, twiceMax, prefetch, leave, come) => {
    const order = (command: string) =>
      queue === "rank" ? services.operator?.redis(command) : services.operator?.sql(command);
    const comeAgain = () => vi.waitFor(async () => expect(await heldBy(queue)).toBe(prefetch), 20_000);
    await handedOn();
    const [sold, before] = [acknowledged.size, await handedToRanker()];
    await order(leave);
    try {
      await sell(20);
      for (let broken = 0; broken < 5; broken++) {
        await comeAgain();
        await services.operator?.rabbitmqctl("close_all_connections", "test");
      }
      await comeAgain();
    } finally {
      await order(come);
    }
    await expectEqual(sold + 20);
    await handedOn();
    const handed = (await handedToRanker()) - before;
    expect(handed).toBeGreaterThanOrEqual(20);
    expect(handed).toBeLessThanOrEqual(20 + twiceMax);
  },
  120_000,
);
