import { expect, test } from "vitest";
import { asItIs, type PrintedRow } from "../printed/printed-row.ts";
import { printedSources } from "../printed/printed-sources.ts";
import { sampleRun, sampleRuns, sampleSourceReport } from "./stored-run.fixture.ts";
import { storedRunOf } from "./stored-run.ts";
import { markedNameOf, tableText } from "./table-text.ts";

const latency = { min: 1, p95: 3, p999: 5 };

test("our rate counts all requests until the last event was ranked, and latencies are those of the method", () => {
  // 100 events and 300 reads: 400 requests by the 0.2 s in which 100 events were ranked.
  const run = storedRunOf(
    sampleSourceReport({
      seconds: 0.1,
      accepted: { events: 100, perSecond: 1000 },
      ranked: { perSecond: 500 },
      latencyMs: { ...latency, mean: 20, p50: 18, p99: 25, max: 31 },
      reads: { requests: 300, perSecond: 2700, latencyMs: { ...latency, mean: 50, p50: 40, p99: 90, max: 99 } },
    }),
  );
  const row: PrintedRow = {
    id: "one",
    load: "256 stores",
    server: "theirs",
    wallSeconds: 400,
    perSecond: 1600,
    latencies: [
      { of: "POST", mean: 30, p99: 100 },
      { of: "GET", p99: 60 },
    ],
    notes: [],
    beside: asItIs,
  };
  expect(tableText({ rows: [row] }, run === undefined ? [] : [run])).toEqual([
    "| load | server | ratio | requests/s | wall s | POST mean ms | POST p99 ms | GET p99 ms |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    "| 256 stores | printed: theirs |  | 1,600 | 400 | 30 | 100 | 60 |",
    "|  | ours: batched, confirmed, 1 gateway | 1.25 | 2,000 | 0.2 | 20 | 25 | 90 |",
  ]);
});

test("a run that ranks nothing counts until its last response", () => {
  const changes = { seconds: 2, accepted: { events: 900, perSecond: 450 }, ranked: { perSecond: null } };
  const report = sampleSourceReport({ ...changes, design: "bare" });
  expect(storedRunOf(report)).toMatchObject({ perSecond: 450, wallSeconds: 2 });
});

test("a run that did not drain has no rate, and its line says so", () => {
  const run = storedRunOf(sampleSourceReport({ ranked: { perSecond: null }, seconds: 2 }));
  expect(run).toMatchObject({ perSecond: null, wallSeconds: null });
  expect(run && markedNameOf(run)).toBe("batched, confirmed, 1 gateway (did not drain)");
});

test("a line says what a run lost and doubled, and its settings", () => {
  const run = sampleRun({ settings: { PATH: "x" }, lost: 2, doubled: 1, isGood: false });
  expect(markedNameOf(run)).toBe("batched, confirmed, 1 gateway (PATH=x, lost 2, doubled 1)");
  expect(markedNameOf(sampleRun({ isGood: false }))).toContain("(not good)");
});

test("a run with an arrangement that no row names has a separate line", () => {
  const rows = printedSources.find(({ name }) => name === "S4")?.rows.slice(0, 1) ?? [];
  const lines = tableText({ rows }, [sampleRun({ gateways: 3 })]);
  expect(lines).toHaveLength(5);
  expect(lines[4]).toMatch(/^\| 256 stores \| ours: batched, confirmed, 3 gateways \|/);
});

test("every printed row of every source is in its table, with our figures or the reason why there are none", () => {
  const runs = sampleRuns();
  for (const source of printedSources) {
    const own = runs.filter((run) => run.source === source.name);
    const lines = tableText(source, own).slice(2);
    const printed = lines.filter((line) => line.includes("| printed: "));
    expect(printed).toHaveLength(source.rows.length);
    for (const line of printed) expect(lines[lines.indexOf(line) + 1]).toMatch(/\| (ours|not repeated): /);
  }
});

test("a part of the load is marked and has no wall time; a disturbed run is marked; an absent one is named", () => {
  const rows = printedSources.find(({ name }) => name === "S4")?.rows.slice(0, 1) ?? [];
  const run = sampleRun({ design: "batched", durability: "transient", scale: 0.1, isDisturbed: true });
  const [, , , ours = "", more] = tableText({ rows }, [run]);
  expect(ours).toMatch(/^\| {2}\| ours: batched, transient, 1 gateway \(scale 0\.1, disturbed\) \|/);
  expect(ours.split(" | ")[4]).toBe("");
  expect(more).toBeUndefined();
  expect(tableText({ rows }, [])[3]).toContain("| not among these runs: batched, transient, 1 gateway |");
});
