import { encodeIntoCompressedBase64 as encode } from "hdr-histogram-js";
import { microseconds, recordMs } from "../kit/index.ts";
import { expect, test } from "vitest";
import type { GroupResult } from "./load/load-plan.ts";
import { figuresOfGroup } from "./phase-figures.ts";

/** A group of 10 connections whose requests take 50 ms on average, in half a second. */
function group(changes: Partial<GroupResult> = {}): GroupResult {
  const latencies = microseconds();
  for (const ms of [40, 60]) for (let n = 0; n < 50; n++) recordMs(latencies, ms);
  return {
    name: "peak",
    connections: 10,
    pacedEveryMs: undefined,
    begun: 2,
    ended: 2.5,
    good: 100,
    failed: 0,
    timeouts: 0,
    latencies: encode(latencies),
    ...changes,
  };
}

test("Little's law of a phase compares its rate with its connections and their mean latency", () => {
  const figures = figuresOfGroup(group());
  expect(figures).toMatchObject({ connections: 10, requests: 100, perSecond: 200 });
  expect(figures.latencyMs?.mean).toBeCloseTo(50, 0);
  expect(figures.latencyMs?.p99).toBeCloseTo(60, 0);
  expect(figures.littlesLaw).toEqual({ expectedPerSecond: 200, errorPercent: expect.closeTo(0, 0) });
  // As many requests in twice the time: connections were idle.
  expect(figuresOfGroup(group({ ended: 3 })).littlesLaw.errorPercent).toBeCloseTo(-50, 0);
});

test("Little's law includes timeouts, and is unknown with failures and with paced requests", () => {
  const late = figuresOfGroup(group({ good: 99, timeouts: 1 }));
  expect(late).toMatchObject({ requests: 99, perSecond: 198, littlesLaw: { errorPercent: expect.closeTo(0, 0) } });
  const unknown = { expectedPerSecond: null, errorPercent: null };
  expect(figuresOfGroup(group({ failed: 1 })).littlesLaw).toEqual(unknown);
  expect(figuresOfGroup(group({ latencies: encode(microseconds()), good: 0 })).littlesLaw).toEqual(unknown);
  expect(figuresOfGroup(group({ pacedEveryMs: 200 })).littlesLaw).toMatchObject({ errorPercent: null });
});
