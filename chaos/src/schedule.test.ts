import { expect, test } from "vitest";
import { crashPointNames } from "./inside/crash-points.ts";
import { faultKinds } from "./kinds/kinds.ts";
import { scheduleOf } from "./schedule.ts";

const domains = ["one", "two", "three"];

test("the same seed gives the same schedule, another seed another", () => {
  expect(scheduleOf(7, faultKinds, domains, 100)).toEqual(scheduleOf(7, faultKinds, domains, 100));
  expect(scheduleOf(8, faultKinds, domains, 100)).not.toEqual(scheduleOf(7, faultKinds, domains, 100));
});

test("a longer schedule begins like a shorter one", () => {
  expect(scheduleOf(7, faultKinds, domains, 100).slice(0, 30)).toEqual(scheduleOf(7, faultKinds, domains, 30));
});

test("every kind comes once before one comes a second time", () => {
  const schedule = scheduleOf(7, faultKinds, domains, 2 * faultKinds.length).map(({ kind }) => kind);
  const names = faultKinds.map(({ name }) => name).toSorted();
  expect(schedule.slice(0, names.length).toSorted()).toEqual(names);
  expect(schedule.slice(names.length).toSorted()).toEqual(names);
});

test("messages of every domain are hit, and of no other", () => {
  const schedule = scheduleOf(7, faultKinds, domains, 10 * faultKinds.length);
  const kinds = ["duplicate-ingest-deliveries", "duplicate-rank-deliveries", "poison-event", "undecodable-message"];
  for (const kind of kinds) {
    const hit = schedule.filter((fault) => fault.kind === kind).map(({ target }) => target);
    expect(new Set(hit)).toEqual(new Set(domains));
  }
});

test("there is a kind for every crash point, and no two have one name", () => {
  const names = faultKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining([...crashPointNames]));
});
