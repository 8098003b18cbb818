import { gatewayChannels, rankerChannels, writerChannels } from "@tally/contract";
import { expect, test } from "vitest";
import { crashPoints } from "./crash-points.ts";
import { sabotages } from "./sabotages.ts";

test("every channel of the pipeline is a crash point, and no crash point has another channel", () => {
  const channels = [gatewayChannels, writerChannels, rankerChannels].flatMap((own) => Object.values(own));
  const published = ["tally:messaging:sent", ...channels.map(({ name }) => name)];
  expect(new Set(Object.values(crashPoints).map(({ channel }) => channel))).toEqual(new Set(published));
});

test.each(Object.entries(crashPoints))("the channel of %s has its name", (point, { channel }) => {
  const isConfirm = point.endsWith(".before-confirm");
  expect(channel).toBe(isConfirm ? "tally:messaging:sent" : `tally:${point.replace(".", ":")}`);
});

const substitutes = Object.values(sabotages).flat();

test.each(substitutes)("the substitute $module replaces exports of $specifier", async ({ specifier, module }) => {
  const original: object = await import(specifier);
  const replaced: object = await import(module.pathname);
  const changed = Object.keys(replaced).filter((name) => Reflect.get(replaced, name) !== Reflect.get(original, name));
  expect(changed.length).toBeGreaterThan(0);
  // A function that the package no longer exports would replace nothing.
  expect(Object.keys(original)).toEqual(expect.arrayContaining(changed));
});
