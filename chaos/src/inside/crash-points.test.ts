import { gatewayChannels, rankerChannels, writerChannels } from "@tally/pipeline";
import { expect, test } from "vitest";
import { crashPoints } from "./crash-points.ts";

test("every channel of the pipeline is a crash point, and no crash point has another channel", () => {
  const channels = [gatewayChannels, writerChannels, rankerChannels].flatMap((own) => Object.values(own));
  const published = ["tally:messaging:sent", ...channels.map(({ name }) => name)];
  expect(new Set(Object.values(crashPoints).map(({ channel }) => channel))).toEqual(new Set(published));
});
