import { expect, test } from "vitest";
import { crashPointNames } from "./inside/crash-points.ts";
import { faultKinds } from "./kinds/kinds.ts";
import { scheduleOf } from "./schedule.ts";

test("the same seed gives the same schedule, another seed another", () => {
  expect(scheduleOf(7, faultKinds, 100)).toEqual(scheduleOf(7, faultKinds, 100));
  expect(scheduleOf(8, faultKinds, 100)).not.toEqual(scheduleOf(7, faultKinds, 100));
});

test("a longer schedule begins like a shorter one", () => {
  expect(scheduleOf(7, faultKinds, 100).slice(0, 30)).toEqual(scheduleOf(7, faultKinds, 30));
});

test("every kind comes once before one comes a second time", () => {
  const schedule = scheduleOf(7, faultKinds, 2 * faultKinds.length).map(({ kind }) => kind);
  const names = faultKinds.map(({ name }) => name).toSorted();
  expect(schedule.slice(0, names.length).toSorted()).toEqual(names);
  expect(schedule.slice(names.length).toSorted()).toEqual(names);
});

test("there is a kind for every crash point, and no two have one name", () => {
  const names = faultKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining([...crashPointNames]));
});
