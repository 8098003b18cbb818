import { readFileSync } from "node:fs";
import { join } from "node:path";
import { edited, type SourceEdit } from "@tally/local/source-edits";
import { expect, test } from "vitest";
import { crashPointNames, crashPoints } from "./crash-points.ts";
import { sabotages } from "./sabotages.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const apps = ["gateway", "writer", "ranker"] as const;
const points: readonly SourceEdit[] = Object.values(crashPoints).filter((edit) => edit !== undefined);

/** The text of each module that an app gets, with some edits in it. */
function modulesOf(app: (typeof apps)[number], edits: readonly SourceEdit[]): readonly string[] {
  const own = edits.filter((edit) => edit.apps.includes(app));
  const files = [...new Set(own.map(({ file }) => file))];
  return files.map((file) =>
    edited(
      readFileSync(join(root, file), "utf8"),
      own.filter((edit) => edit.file === file),
    ),
  );
}

test.each(apps)("every crash point of the %s stands once in its modules", (app) => {
  const text = modulesOf(app, points).join("\n");
  const expected = crashPointNames.filter((name) => name.startsWith(`${app}.`));
  expect(expected.length).toBeGreaterThan(2);
  for (const name of expected) expect(text.split(`reach(${JSON.stringify(name)})`)).toHaveLength(2);
});

test.each(Object.entries(sabotages))("the sabotage %s fits the modules, crash points and all", (_, edits) => {
  for (const app of apps) expect(() => modulesOf(app, [...points, ...edits])).not.toThrow();
});
