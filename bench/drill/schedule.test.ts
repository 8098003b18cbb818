import { expect, test } from "vitest";
import { crashPointNames } from "./inside/crash-points.ts";
import { faultKinds, scheduleOf } from "./schedule.ts";

const domains = ["one", "two", "three"];

test("a seed gives the same schedule, longer or shorter, and another seed another one", () => {
  const schedule = scheduleOf(7, faultKinds, domains, 30);
  expect(scheduleOf(7, faultKinds, domains, 100).slice(0, 30)).toEqual(schedule);
  expect(scheduleOf(8, faultKinds, domains, 30)).not.toEqual(schedule);
});

test("every kind occurs once before one occurs again", () => {
  const schedule = scheduleOf(7, faultKinds, domains, 2 * faultKinds.length).map(({ kind }) => kind);
  const names = faultKinds.map(({ name }) => name).toSorted();
  expect(schedule.slice(0, names.length).toSorted()).toEqual(names);
  expect(schedule.slice(names.length).toSorted()).toEqual(names);
});

test("faults of messages hit every domain of the drill, and no other", () => {
  const schedule = scheduleOf(7, faultKinds, domains, 10 * faultKinds.length);
  const kinds = ["duplicate-ingest-deliveries", "duplicate-rank-deliveries", "poison-event"];
  for (const kind of kinds) {
    const hit = schedule.filter((fault) => fault.kind === kind).map(({ target }) => target);
    expect(new Set(hit)).toEqual(new Set(domains));
  }
});

test("every crash point is a kind, and the names of kinds are unique", () => {
  const names = faultKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining([...crashPointNames]));
});
