import { expect, test } from "vitest";
import { expectCleanDrill, runDrill } from "./kit/run-drill.ts";

const serversAndMessages = `
  broker-killed broker-frozen broker-disk-full primary-killed replica-killed redis-wiped redis-killed-older
  gateway-killed writer-killed ranker-killed writer-thread-killed writer-frozen link-cut duplicate-ingest-deliveries
  poison-event garbage-in-every-queue gateway-clock-jumped writer-clock-jumped ranker-clock-jumped
  replica-promoted-behind`
  .trim()
  .split(/\s+/);

test("servers killed and all crash points, under load of all domains: nothing is lost or doubled", async () => {
  const { output } = await runDrill("--list");
  const crashPoints = output.match(/^(gateway|writer|ranker)\.[a-z-]+/gm) ?? [];
  expect(crashPoints.length).toBeGreaterThanOrEqual(12);
  const kinds = [...crashPoints, ...serversAndMessages];
  const { load, contents, audit, domains } = await expectCleanDrill(kinds, "--seed", "25", "--rate", "200");
  // Keys were used again, before and after the gateways forgot them, and bulk requests were repeated in part.
  expect(load.reused.rejected).toBeGreaterThan(20);
  expect(load.reused.acknowledged).toBeGreaterThan(20);
  expect(load.partialRetries).toBeGreaterThan(20);
  expect(contents.checked).toBeGreaterThan(10_000);
  expect(audit.acknowledged).toBeGreaterThan(10_000);
  expect(Math.min(...domains.map(({ acknowledged }) => acknowledged))).toBeGreaterThan(1000);
});
