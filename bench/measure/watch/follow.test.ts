import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { serverOf } from "../load/start-load.fixture.ts";
import { Follower } from "./follow.ts";

/** Responds with the state of an event, by its id. */
async function gateway(whereIs: (id: number) => { readonly stored: boolean; readonly ranked: boolean } | undefined) {
  const askedAt = new Map<number, number>();
  const { url } = await serverOf((request, response) => {
    const id = Number(request.url?.split("/").at(-1));
    askedAt.set(id, performance.now());
    const where = whereIs(id);
    if (where === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(where));
  });
  return { url, askedAt };
}

const now = () => performance.timeOrigin + performance.now();

test("each event is followed while there are few, and its times count from its request", async () => {
  const begunAt = now();
  const { url } = await gateway(() => ({ stored: now() - begunAt > 300, ranked: now() - begunAt > 600 }));
  const follower = new Follower(url);
  for (let id = 0; id < 10; id++) follower.follow({ id: String(id), sentAt: begunAt });
  const { stored, ranked, ...counts } = await follower.done();
  expect(counts).toEqual({ events: 10, neverStored: 0, neverRanked: 0 });
  expect(Math.min(...stored)).toBeGreaterThan(300);
  expect(Math.min(...ranked)).toBeGreaterThan(600);
});

test("of slow events fewer are followed, evenly over the whole load: slow ones are not left out", async () => {
  let isSlow = true;
  const { url, askedAt } = await gateway(() => ({ stored: !isSlow, ranked: !isSlow }));
  const follower = new Follower(url);
  // The first half of the load is fast; the second is stored at the end.
  isSlow = false;
  for (let id = 0; id < 200; id++) {
    if (id === 100) isSlow = true;
    follower.follow({ id: String(id), sentAt: now() });
    await delay(id < 100 ? 20 : 5);
  }
  const halfwayAt = performance.now();
  await delay(500);
  const underWay = [...askedAt.values()].filter((at) => at > halfwayAt + 300).length;
  isSlow = false;
  const { events, ranked, neverRanked } = await follower.done();
  expect(underWay).toBeLessThanOrEqual(20);
  expect({ events: ranked.length, neverRanked }).toEqual({ events, neverRanked: 0 });
  expect(events).toBeGreaterThanOrEqual(20);
  const slow = ranked.filter((ms) => ms > 400).length;
  expect(slow / events).toBeGreaterThan(0.4);
});

test("events that are never found or never ranked are counted", async () => {
  const { url } = await gateway((id) => (id < 3 ? undefined : { stored: true, ranked: id > 4 }));
  const follower = new Follower(url, 1000);
  for (let id = 0; id < 10; id++) follower.follow({ id: String(id), sentAt: now() });
  expect(await follower.done()).toMatchObject({ events: 10, neverStored: 3, neverRanked: 5 });
});
