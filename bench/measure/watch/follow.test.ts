import { expect, test } from "vitest";
import { serverOf } from "../load/start-load.fixture.ts";
import { follow, followedOf } from "./follow.ts";

/** Responds with the state of an event, by its id. */
function gateway(whereIs: (id: number) => { readonly stored: boolean; readonly ranked: boolean } | undefined) {
  return serverOf((request, response) => {
    const id = Number(request.url?.split("/").at(-1));
    const where = whereIs(id);
    if (where === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(where));
  });
}

const now = () => performance.timeOrigin + performance.now();

const followAll = async (url: string, sentAt: number, giveUpMs?: number) => {
  const ids = Array.from({ length: 10 }, (_, id) => String(id));
  return followedOf(await Promise.all(ids.map((id) => follow(url, { id, sentAt }, giveUpMs))));
};

test("each event is followed, and its times count from its request", async () => {
  const begunAt = now();
  const { url } = await gateway(() => ({ stored: now() - begunAt > 300, ranked: now() - begunAt > 600 }));
  const { stored, ranked, ...counts } = await followAll(url, begunAt);
  expect(counts).toEqual({ events: 10, neverStored: 0, neverRanked: 0 });
  expect(Math.min(...stored)).toBeGreaterThan(300);
  expect(Math.min(...ranked)).toBeGreaterThan(600);
});

test("events that are never found or never ranked are counted, with the time until they were given up", async () => {
  const { url } = await gateway((id) => (id < 3 ? undefined : { stored: true, ranked: id > 4 }));
  const { stored, ranked, ...counts } = await followAll(url, now(), 1000);
  expect(counts).toEqual({ events: 10, neverStored: 3, neverRanked: 5 });
  const waited = (times: readonly number[]) => times.filter((ms) => ms > 1000).length;
  expect(waited(stored)).toBeGreaterThanOrEqual(3);
  expect(waited(ranked)).toBeGreaterThanOrEqual(5);
});
