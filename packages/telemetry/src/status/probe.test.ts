import { expect, test } from "vitest";
import { Probe } from "./probe.ts";

test("a request without a response is sent once, and each reader gets undefined after the time limit", async () => {
  let asked = 0;
  const response = Promise.withResolvers<string>();
  const probe = new Probe(20, () => {
    asked++;
    return response.promise;
  });
  expect(await Promise.all([probe.read(), probe.read()])).toEqual([undefined, undefined]);
  expect(await probe.read()).toBeUndefined();
  expect(asked).toBe(1);
  const last = probe.read();
  response.resolve("late");
  expect(await last).toMatchObject({ value: "late" });
  await probe.read();
  expect(asked).toBe(2);
});

test("an error is no result", async () => {
  expect(await new Probe(1000, () => Promise.reject(new Error("refused"))).read()).toBeUndefined();
});
