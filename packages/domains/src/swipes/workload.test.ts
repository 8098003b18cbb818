import { expect, test } from "vitest";
import { workload } from "./workload.ts";

const [run] = workload.source.runs;
const groupsOf = (scale: number) => run?.groups(scale) ?? [];

test("900 connections send swipes, all from the start", () => {
  const groups = groupsOf(1);
  expect(groups.reduce((sum, { connections }) => sum + connections, 0)).toBe(900);
  expect(groups.every(({ startsAfter }) => startsAfter === undefined)).toBe(true);
});

test("swipes have 5,000 swipers, 1,000,000 swipees and comments of 256 letters", () => {
  const request = (random: () => number) => groupsOf(1)[0]?.request(0, 0, random);
  const [low, high] = [() => 0, () => 1 - 2 ** -31].map(request);
  expect([low?.path, high?.path]).toEqual(["/swipe/left", "/swipe/right"]);
  expect(JSON.parse(String(low?.body))).toMatchObject({ swiper: "1", swipee: "1" });
  expect(JSON.parse(String(high?.body))).toMatchObject({ swiper: "5000", swipee: "1000000" });
  expect(JSON.parse(String(high?.body)).comment).toMatch(/^[a-z]{256}$/);
  expect(run?.retries).toBe(5);
});

test("later in the series five readers meanwhile get matches or stats every 200 ms", () => {
  const [, later] = workload.source.runs;
  const groups = later?.groups(1) ?? [];
  expect(groups.slice(0, -1)).toMatchObject(groupsOf(1).map(({ name, connections }) => ({ name, connections })));
  const readers = groups.at(-1);
  expect(readers).toMatchObject({ connections: 5, pacedEveryMs: 200, requestsOfEach: 0 });
  expect(readers?.startsAfter).toBeUndefined();
  expect(readers?.request(0, 0, () => 0.25)).toMatchObject({ method: "GET", path: "/matches/1251" });
  expect(readers?.request(0, 0, () => 0.75)).toMatchObject({ method: "GET", path: "/stats/3751" });
});
