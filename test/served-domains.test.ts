import { connectPublisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { freePorts } from "@tally/local";
import { atEnd } from "@tally/local/at-end";
import { silentLog } from "@tally/runtime";
import { expect, test } from "vitest";
import { startGateway } from "./kit/programs.ts";
import { batchOf, openPublisher, poisonSale } from "./kit/publish.ts";
import { sell, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

const walk = (url: string): Promise<Response> => fetch(`${url}/steps/5/1/0/700`, { method: "POST" });

const jsonOf = async (url: string): Promise<unknown> => (await fetch(url)).json();

const both = { gateway: 2, writer: 2, ranker: 2 };
const system = await startSystem(
  {},
  { instances: both, environmentOf: (_, index) => ({ DOMAINS: index === 0 ? "purchases" : "swipes, steps" }) },
);

test("each app serves the domains of DOMAINS alone; without the writer of one the others go on", async () => {
  const [sales = "", others = ""] = system.urls;
  expect([(await walk(sales)).status, (await sell(others, 7)).status]).toEqual([404, 404]);
  expect(await jsonOf(`${others}/status`)).toMatchObject({ domains: [{ name: "steps" }, { name: "swipes" }] });

  const letter = poisonSale(7);
  const send = await openPublisher(system);
  await send(batchOf([letter]));
  await expect.poll(async () => (await fetch(`${others}/dead-letters/${letter.id}`)).status).toBe(200);
  const replay = await fetch(`${others}/dead-letters/${letter.id}/replay`, { method: "POST" });
  expect([replay.status, await replay.text()]).toEqual([400, expect.stringContaining("an ingest queue of DOMAINS")]);

  await system.server("writer-1").stop();
  const sale = await sold(sales, 7);
  const walked = await walk(others);
  const step = walked.headers.get("tally-event-id") ?? "";
  const ranked = { stored: true, ranked: true };
  await expect.poll(() => jsonOf(`${others}/events/${step}`)).toMatchObject(ranked);
  expect(await jsonOf(`${sales}/events/${sale}`)).toMatchObject({ stored: false, ranked: false });

  await system.server("writer-1").start();
  await expect.poll(() => jsonOf(`${sales}/events/${sale}`)).toMatchObject(ranked);
  await expectAllKept(system, [sale, step]);
});

test("a gateway whose queue exists with other arguments is not ready, and its GETs work", async () => {
  const namespace = `${system.namespace}o`;
  const { name } = queuesOf(namespace, "purchases").ingest;
  const options = { url: system.addresses.amqpUrl, connectionName: "test", log: silentLog };
  const earlier = connectPublisher({ ...options, queues: [{ name }] });
  atEnd(() => earlier.close());
  await earlier.ready;
  const operatorPort = String((await freePorts(1))[0]);
  const own = { AUTH: "off", GATEWAY_HEALTH_PORT: operatorPort };
  const gateway = await startGateway({ ...system, namespace }, own);
  await expect.poll(gateway.output).toMatch(/MESSAGING_TOPOLOGY.*gateway: started/s);
  expect((await fetch(`${gateway.url}/views`)).status).toBe(200);
  const ready = await fetch(`http://127.0.0.1:${operatorPort}/health/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { checks: { broker: { ok: false, detail: "down" } } },
  ]);
  expect(await gateway.stop()).toBe(0);
});
