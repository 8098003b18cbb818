import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startApps, startServices, type Apps, type Services } from "@tally/local";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { cellsOfBoards, cellsOfRows, openDatabase } from "./rankings-equal-rows.ts";

const root = join(import.meta.dirname, "..");
const directory = join(root, ".tally", `test-${randomBytes(4).toString("hex")}`);
let services: Services;
let apps: Apps;

beforeAll(async () => {
  const say = () => undefined;
  services = await startServices({
    directory,
    database: "tally_test",
    keepData: false,
    docker: "never",
    say,
    environment: { PATH: process.env["PATH"] },
  });
  const environment = { PATH: process.env["PATH"], CONFIRM_WITHIN_MS: "1500", WAITING_MAX: "40" };
  apps = await startApps({
    root,
    directory: `${directory}-apps`,
    addresses: services.addresses,
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

test("while the database is away sales are acknowledged, and stored when it is back", async () => {
  server("database-primary").kill("SIGKILL");
  await sell(50);
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
  expect((await fetch(`${apps.url}/health/ready`)).status).toBe(503);
  await server("rabbitmq").start();
  await vi.waitFor(async () => expect((await fetch(`${apps.url}/health/ready`)).status).toBe(200), 20_000);
  await sell(40);
  await expectEqual(400);
}, 120_000);

test("a broker that does not answer: so many wait, the others hear 503 at once, and nothing is stored twice", async () => {
  server("rabbitmq").kill("SIGSTOP");
  const answers = await Promise.all(Array.from({ length: 60 }, post));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  server("rabbitmq").kill("SIGCONT");
  // Their outcome is unknown to the clients: sent again with the same key, each is stored once.
  sales -= 60;
  await vi.waitFor(async () => expect((await fetch(`${apps.url}/health/ready`)).status).toBe(200), 20_000);
  await sell(60);
  await expectEqual(460);
}, 120_000);

const linesOf = async (app: "gateway" | "writer" | "ranker", text: string): Promise<number> =>
  (await readFile(apps[app].logFile, "utf8")).split("\n").filter((line) => line.includes(text)).length;

test("a database that becomes read-only, as in a failover, is waited for: nothing is a dead letter, and one line tells of it", async () => {
  const before = await linesOf("writer", "database is away");
  await services.operator?.sql("SET GLOBAL read_only = 1");
  try {
    await sell(30);
    await vi.waitFor(async () => expect(await linesOf("writer", "database is away")).toBeGreaterThan(before), 10_000);
    await delay(2500); // some attempts more
  } finally {
    await services.operator?.sql("SET GLOBAL read_only = 0");
  }
  await sell(10);
  await expectEqual(500);
  expect((await linesOf("writer", "database is away")) - before).toBeLessThanOrEqual(1);
  expect(await linesOf("writer", '"msg":"dead letter"')).toBe(0);
}, 120_000);

test("a broker under alarm: 503 at once, not after the wait for a confirm, and intake goes on when it is lifted", async () => {
  await services.operator?.rabbitmqctl("set_vm_memory_high_watermark", "0");
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
    await services.operator?.rabbitmqctl("set_vm_memory_high_watermark", "0.4");
  }
  await vi.waitFor(async () => expect((await fetch(`${apps.url}/health/ready`)).status).toBe(200), 20_000);
  // Sent again with their keys, those of before too: each is stored once.
  sales = 501;
  await sell(40);
  await vi.waitFor(async () => expect((await post()).status).toBe(201), 20_000);
  await expectEqual(541);
}, 120_000);

test("an outage is one line, however often it is tried to connect", async () => {
  const count = async () => ({
    lost: await linesOf("gateway", "broker: connection lost"),
    redis: await linesOf("ranker", "Redis is away"),
  });
  const before = await count();
  server("rabbitmq").kill("SIGKILL");
  server("redis").kill("SIGKILL");
  await delay(5000);
  await Promise.all([server("rabbitmq").start(), server("redis").start()]);
  await vi.waitFor(async () => expect((await fetch(`${apps.url}/health/ready`)).status).toBe(200), 30_000);
  const after = await count();
  expect(after.lost - before.lost).toBe(1);
  expect(after.redis - before.redis).toBe(1);
  await sell(9);
  await expectEqual(550);
}, 120_000);
