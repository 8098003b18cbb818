import { expect, test } from "vitest";
import { drillWithinMs, expectCleanDrill } from "./run-drill.ts";

// Every crash point, and every server that can die.
const kindsOfTest = `
  gateway.before-publish gateway.before-confirm gateway.after-confirm gateway.after-answer
  writer.before-commit writer.after-commit writer.before-confirm writer.before-acknowledgement writer.after-acknowledgement
  ranker.before-commit ranker.before-acknowledgement ranker.after-acknowledgement
  broker-killed broker-frozen broker-disk-full primary-killed replica-killed redis-wiped redis-killed-older
  writer-thread-killed writer-frozen link-cut duplicate-ingest-deliveries poison-event undecodable-message`
  .trim()
  .split(/\s+/);

test(
  "25 faults with all crash points, under load of all domains: nothing is lost or doubled",
  async () => {
    const { load, contents, audit, domains } = await expectCleanDrill(kindsOfTest, "--seed", "25", "--rate", "2000");
    // Keys were used again, before and after the gateways forgot them, and bulk requests were repeated in part.
    expect(load.reused.rejected).toBeGreaterThan(20);
    expect(load.reused.acknowledged).toBeGreaterThan(20);
    expect(load.partialRetries).toBeGreaterThan(20);
    expect(contents.checked).toBeGreaterThan(10_000);
    expect(audit.acknowledged).toBeGreaterThan(10_000);
    expect(Math.min(...domains.map(({ acknowledged }) => acknowledged))).toBeGreaterThan(1000);
  },
  drillWithinMs,
);
