import { expect, test } from "vitest";
import { batchOf, openPublisher, poisonSale } from "./kit/publish.ts";
import { sell, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

const walk = (url: string): Promise<Response> => fetch(`${url}/steps/5/1/0/700`, { method: "POST" });

const jsonOf = async (url: string): Promise<unknown> => (await fetch(url)).json();

test("each app serves the domains of DOMAINS alone; without the writer of one the others go on", async () => {
  const both = { gateway: 2, writer: 2, ranker: 2 };
  const system = await startSystem(
    {},
    { instances: both, environmentOf: (_, index) => ({ DOMAINS: index === 0 ? "purchases" : "swipes, steps" }) },
  );
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
