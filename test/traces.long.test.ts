import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { System } from "@tally/local";
import { expect, test, vi } from "vitest";
import { listen } from "@tally/local/at-end";
import { sellMany, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";

const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = (flags: string): string => `00-${caller.traceId}-${caller.spanId}-${flags}`;

interface Step {
  readonly step: string;
  readonly app: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly eventId?: string;
  readonly outcome?: string;
}

const order = ["received", "published", "stored", "ranked"];

/** The steps of an event's trace, each the child of the one before. */
function expectPath(steps: readonly Step[], eventId: string): void {
  const path = steps
    .filter((step) => step.eventId === eventId)
    .toSorted((a, b) => order.indexOf(a.step) - order.indexOf(b.step));
  expect(path.map(({ step, app, outcome }) => [step, app, outcome])).toEqual([
    ["received", "gateway", "confirmed"],
    ["published", "gateway", "confirmed"],
    ["stored", "writer", "stored"],
    ["ranked", "ranker", "ranked"],
  ]);
  expect(path.map(({ parentSpanId }) => parentSpanId)).toEqual([
    path[0]?.parentSpanId,
    ...path.slice(0, -1).map(({ spanId }) => spanId),
  ]);
  expect(new Set(path.map(({ traceId }) => traceId)).size).toBe(1);
}

async function stepsInLogs(system: System): Promise<readonly Step[]> {
  const apps = ["gateway", "writer", "ranker"] as const;
  const logs = await Promise.all(apps.map((app) => readFile(system[app].logFile, "utf8")));
  return logs.flatMap((log, index) =>
    log.split("\n").flatMap((line) => {
      if (!line.includes('"msg":"trace"')) return [];
      const step: Omit<Step, "app"> = JSON.parse(line);
      return Object.assign(step, { app: apps[index] ?? "" });
    }),
  );
}

/** Starts a system and waits for its first rankings. A batch that is stored meanwhile may be ranked from the ledger; then
 * its ranking message changes nothing, and the trace differs. */
async function startBuilt(settings?: NodeJS.ProcessEnv): Promise<System> {
  const system = await startSystem(settings);
  const built = /"domain":"purchases".*"auditor: rankings rebuilt"/;
  await expect.poll(() => readFile(system.ranker.logFile, "utf8"), { timeout: 120_000 }).toMatch(built);
  return system;
}

test("the trace of a sampled request is logged at each step; other requests leave no line", async () => {
  const system = await startBuilt();
  await sold(system.url, 5);
  await sold(system.url, 5, { headers: { traceparent: traceparent("00") } });
  await sold(system.url, 5, { headers: { traceparent: "none" } });
  const id = await sold(system.url, 5, { headers: { traceparent: traceparent("01") } });
  const keyed = await sold(system.url, 5, { headers: { traceparent: traceparent("01"), "idempotency-key": "traced" } });
  await vi.waitFor(async () => {
    const steps = await stepsInLogs(system);
    expectPath(steps, id);
    expectPath(steps, keyed);
    expect(steps).toHaveLength(8);
    for (const { traceId } of steps) expect(traceId).toBe(caller.traceId);
    for (const { step, parentSpanId } of steps) if (step === "received") expect(parentSpanId).toBe(caller.spanId);
  }, 30_000);
});

test("each entry of a sampled bulk request is traced; a setting samples other requests", async () => {
  const system = await startBuilt({ TRACE_ONE_IN: "1" });
  const single = await sold(system.url, 5);
  const response = await sellMany(system.url, 5, 2, { traceparent: traceparent("01") });
  const { results }: { readonly results: readonly { readonly id: string }[] } = JSON.parse(await response.text());
  expect(results).toHaveLength(2);
  await vi.waitFor(async () => {
    const steps = await stepsInLogs(system);
    expectPath(steps, single);
    expect(steps.find(({ eventId, step }) => eventId === single && step === "received")?.parentSpanId).toBeUndefined();
    for (const { id } of results) {
      const own = steps.filter(({ eventId }) => eventId === id);
      expect(own.map(({ step }) => step).toSorted()).toEqual(["published", "ranked", "stored"]);
      for (const { traceId } of own) expect(traceId).toBe(caller.traceId);
    }
  }, 30_000);
});

test("with OTEL_EXPORTER_OTLP_ENDPOINT all steps are spans of one trace; an absent collector is one line", async () => {
  const collector = await openCollector();
  const system = await startBuilt({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const id = await sold(system.url, 5, { headers: { traceparent: traceparent("01") } });
  await vi.waitFor(() => expectPath(collector.steps, id), 30_000);
  expect(collector.steps.find(({ step }) => step === "received")).toMatchObject({
    traceId: caller.traceId,
    parentSpanId: caller.spanId,
  });
  expect(await stepsInLogs(system)).toEqual([]);

  collector.server.close();
  collector.server.closeAllConnections();
  for (let n = 0; n < 3; n++) await sold(system.url, 5, { headers: { traceparent: traceparent("01") } });
  await vi.waitFor(async () => {
    const log = await readFile(system.gateway.logFile, "utf8");
    expect(log.split("\n").filter((line) => line.includes("cannot send traces"))).toHaveLength(1);
  }, 30_000);
});

interface Attributed {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

async function openCollector() {
  const steps: Step[] = [];
  const { server, url } = await listen(async (request, response) => {
    for (const { resource, scopeSpans } of JSON.parse(await text(request)).resourceSpans) {
      const app = textOf(resource, "service.name").replace("tally-", "");
      for (const { spans } of scopeSpans)
        for (const { name, traceId, spanId, parentSpanId = "", ...span } of spans) {
          const [eventId, outcome] = [textOf(span, "tally.eventId"), textOf(span, "tally.outcome")];
          steps.push({ step: name, app, traceId, spanId, parentSpanId, eventId, outcome });
        }
    }
    response.writeHead(request.url === "/v1/traces" ? 200 : 404, { "content-type": "application/json" }).end("{}");
  });
  return { url, steps, server };
}

function textOf({ attributes }: Attributed, key: string): string {
  return attributes.find((one) => one.key === key)?.value.stringValue ?? "";
}
