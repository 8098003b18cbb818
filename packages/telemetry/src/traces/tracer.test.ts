import { expect, test } from "vitest";
import { readTraceparent, requestSampler, textOfTraceContext, tracedEventsMax, tracedEventsOf } from "./tracer.ts";
import { tracesHeader } from "./tracer.ts";

const context = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const ids = `${context.traceId}-${context.spanId}`;

test("a traceparent is read with its flag", () => {
  expect(readTraceparent(textOfTraceContext(context))).toEqual({ ...context, isSampled: true });
  expect(readTraceparent(`00-${ids}-00`)).toEqual({ ...context, isSampled: false });
  expect(readTraceparent(`00-${ids}-03`)).toEqual({ ...context, isSampled: true });
  expect(readTraceparent(`cc-${ids}-01-what-comes-later`)).toEqual({ ...context, isSampled: true });
});

test.each([
  "",
  `00-${ids}`,
  `00-${ids}-1`,
  `ff-${ids}-01`,
  `00-${ids}-01-more`,
  `00-${ids.toUpperCase()}-01`,
  `00-${"0".repeat(32)}-${context.spanId}-01`,
  `00-${context.traceId}-${"0".repeat(16)}-01`,
  `00-${ids}-01, 00-${ids}-01`,
])("a traceparent that W3C Trace Context forbids is ignored: %j", (text) => {
  expect(readTraceparent(text)).toBeUndefined();
  expect(requestSampler(1)(text)).toBeUndefined();
});

test("a request is sampled by its traceparent; without one by the setting", () => {
  expect(requestSampler(0)(`00-${ids}-01`)).toEqual({ parent: context });
  expect(requestSampler(1)(`00-${ids}-00`)).toBeUndefined();
  expect(requestSampler(1)(undefined)).toEqual({ parent: undefined });
  expect(requestSampler(0)(undefined)).toBeUndefined();
  const sampled = Array.from({ length: 20_000 }, () => requestSampler(10)(undefined)).filter(Boolean);
  expect(sampled.length).toBeGreaterThan(1500);
  expect(sampled.length).toBeLessThan(2500);
});

test("traced events travel in a header of the message; what cannot be read is dropped", () => {
  const events = [1, 2].map((n) => ({ eventId: `01989f6e-0000-7000-8000-00000000000${n}`, context }));
  expect(tracedEventsOf(tracesHeader(events))).toEqual(events);
  expect(tracedEventsOf({})).toEqual([]);
  const long = `${"x".repeat(2000)}=${textOfTraceContext(context)}`;
  for (const value of [5, "", "a", "a=b", long, {}]) expect(tracedEventsOf({ "tally-traces": value })).toEqual([]);
  const [event] = events;
  const many = Array.from({ length: 200 }, () => event).filter((one) => one !== undefined);
  expect(tracedEventsOf(tracesHeader(many))).toHaveLength(tracedEventsMax);
});

test("at most 50 requests a second are sampled because their header says so", () => {
  const sample = requestSampler(0);
  // Less than a second, so within two of the clock's.
  const sampled = Array.from({ length: 1000 }, () => sample(`00-${ids}-01`)).filter(Boolean);
  expect(sampled.length).toBeGreaterThanOrEqual(50);
  expect(sampled.length).toBeLessThanOrEqual(100);
});
