import { expect, test } from "vitest";
import { designOf } from "../designs/designs.ts";
import { arrangementOf, tasksOf } from "./arrangements.ts";
import { printedSources, requestsOf } from "./printed-sources.ts";

const rows = printedSources.flatMap((source) =>
  source.rows.map((row) => ({ name: `${source.name} ${row.id}`, source, row })),
);

test("the sources print this many rows", () => {
  expect(printedSources.map((source) => [source.name, source.rows.length])).toEqual([
    ["S0", 14],
    ["S1", 12],
    ["S2", 6],
    ["S3", 9],
    ["S4", 33],
  ]);
});

test("each row has another id than the others of its source", () => {
  for (const { name, rows: own } of printedSources)
    expect([name, new Set(own.map(({ id }) => id)).size]).toEqual([name, own.length]);
});

test.each(rows)("$name has an arrangement of ours that runs its load, or a reason why not", ({ source, row }) => {
  const arrangement = arrangementOf(row);
  if (arrangement === undefined) {
    expect(row.beside).toEqual({ reason: expect.stringMatching(/^[A-Z].{20,}\.$/) });
    return;
  }
  const { design, durability, gateways } = arrangement;
  const { stores, balanced } = designOf(design);
  // Only these designs send messages to the broker.
  if (stores !== "writer") expect(durability).toBe("confirmed");
  expect(gateways > 1).toBe(balanced === true);
  expect(tasksOf(source)).toContainEqual({
    load: expect.objectContaining({ description: row.load }),
    run: expect.any(Number),
    arrangement,
  });
});

test.each(rows.filter(({ row }) => row.wallSeconds !== undefined && row.perSecond !== undefined))(
  "the printed rate of $name is its requests by its wall time, or a note says that it is not",
  ({ source, row: { wallSeconds = 0, perSecond = 0, load, notes } }) => {
    const found = source.loads.find(({ description }) => description === load);
    if (found === undefined) throw new Error(`there is no load ${load}`);
    const computed = requestsOf(found) / wallSeconds;
    // Wall times are rounded to seconds.
    if (Math.abs(computed / perSecond - 1) < 0.006) return;
    expect(notes.join(" ")).toContain(`${Math.round(computed)} a second`);
  },
);

test.each(rows)("the percentiles of $name rise, or a note says that they do not", ({ row: { latencies, notes } }) => {
  for (const { min, p50, p95, p99, max } of latencies) {
    const known = [min, p50, p95, p99, max].filter((value) => value !== undefined);
    const isRising = known.every((value, index) => value >= (known[index - 1] ?? 0));
    expect(isRising || notes.some((note) => note.includes("impossible"))).toBe(true);
  }
});

test("every load of a source is asked for by a row, or is one of its main loads", () => {
  for (const source of printedSources) {
    const run = new Set(tasksOf(source).map((task) => task.run));
    expect([...run].toSorted((a, b) => a - b)).toEqual(source.loads.map((_, index) => index));
  }
});
