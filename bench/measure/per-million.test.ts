import { readdir, readFile } from "node:fs/promises";
import { temporaryDirectory } from "@tally/local/at-end";
import { expect, test } from "vitest";
import { Recorder } from "./load/recorder.ts";
import { millionsChart, millionsTable, perMillion } from "./per-million.ts";
import { eachTier } from "./watch/tiers.ts";
import { sampleReport } from "./report.fixture.ts";
import { keepReport } from "./stored-reports.ts";
import { textOf } from "./text-of.ts";

test("each whole part of a long load has its rate, times, CPU, memory, disk and keys", async () => {
  const recorder = new Recorder(undefined, 50);
  for (let n = 1; n <= 120; n++) {
    recorder.sending(performance.now());
    recorder.record({ name: "responded", status: 201, id: "", text: "", ms: n <= 50 ? 5 : 100 + n }, false);
  }
  const { parts, ...result } = recorder.result();
  expect(parts.map(({ events }) => events)).toEqual([50, 50]);
  const observations = [0, 1, 2, 3].map((n) => ({
    at: 1000 + n * 1000,
    stored: n,
    batches: n,
    ranked: n,
    queued: 0,
    fullness: 0,
    tiers: eachTier(() => ({ cpuSeconds: n * n * 1e-3, memoryMiB: 100 + n })),
    diskMiB: 70 + n,
    redisKeys: n * 10,
  }));
  const timed = parts.map(({ events, posts }, index) => ({ events, posts, seconds: index + 1 }));
  const seen = { result: { ...result, groups: [], parts: timed }, observations, startedAt: 1000 };
  const millions = perMillion(seen);
  expect(
    millions.map(({ perSecond, p50, cpuUs, memoryMiB, diskMiB, redisKeys }) => [
      perSecond,
      Math.round(p50),
      cpuUs.redis,
      cpuUs.total,
      memoryMiB.writer,
      diskMiB,
      redisKeys,
    ]),
  ).toEqual([
    [50, 5, 20, 120, 101, 1, 10],
    [50, 175, 60, 360, 102, 2, 20],
  ]);
  const [, , , first = ""] = millionsTable(millions);
  expect(first).toMatch(/^\| 1 \| 50 \| 5\.0 \| 5\.0 \| 5\.0 \| 20 \|.* 120 \| 101 .*\| 1 \| 10 \|$/);
  expect(millionsTable(millions.slice(0, 1))).toEqual([]);
  expect(millionsChart(millions).match(/<polyline points="[\d., ]+"/g)?.length).toBe(19);

  const [report, folder] = [sampleReport({ perMillion: millions }), await temporaryDirectory()];
  expect(textOf(report)).toContain(first);
  const file = await keepReport(report, folder);
  expect(await readFile(`${file}.svg`, "utf8")).toBe(millionsChart(millions));
  await keepReport({ ...sampleReport(), at: "short" }, folder);
  expect(sampleReport().perMillion).toEqual([]);
  expect(await readdir(folder)).toHaveLength(3);
});
