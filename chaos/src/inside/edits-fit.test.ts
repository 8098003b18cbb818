import { readFileSync } from "node:fs";
import { join } from "node:path";
import { edited, type SourceEdit } from "@tally/local/source-edits";
import { gatewayChannels, rankerChannels, writerChannels } from "@tally/pipeline";
import { expect, test } from "vitest";
import { crashPoints } from "./crash-points.ts";
import { sabotages } from "./sabotages.ts";

const root = join(import.meta.dirname, "..", "..", "..");

test("there is a crash point for every channel of the pipeline, and none without a channel", () => {
  const channels = [gatewayChannels, writerChannels, rankerChannels].flatMap((own) => Object.values(own));
  const published = ["tally:messaging:sent", ...channels.map(({ name }) => name)];
  expect(new Set(Object.values(crashPoints).map(({ channel }) => channel))).toEqual(new Set(published));
});

test.each(Object.entries<readonly SourceEdit[]>(sabotages))(
  "the edits of the sabotage %s fit their modules",
  (_, edits) => {
    for (const [path, own] of Map.groupBy(edits, ({ file }) => file)) {
      expect(() => edited(readFileSync(join(root, path), "utf8"), own)).not.toThrow();
    }
  },
);
