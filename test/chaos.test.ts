import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { AuditReport } from "@tally/reconcile";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const main = join(import.meta.dirname, "..", "chaos", "src", "main.ts");
// 4 min on two idle cores; 11 min were seen beside eight other test runs.
const drillWithinMs = 15 * 60_000;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-drill-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Report {
  readonly audit: AuditReport["audit"];
  readonly faults: readonly { readonly kind: string; readonly lost: number }[];
  readonly domains: readonly { readonly domain: string; readonly acknowledged: number; readonly lost: number }[];
  readonly differences: readonly string[];
  readonly contents: { readonly checked: number; readonly wrong: number };
  readonly load: {
    readonly reused: { readonly rejected: number; readonly acknowledged: number };
    readonly partialRetries: number;
  };
}

/** Runs the drill as a process. `report`: undefined if it wrote none. */
async function chaos(...args: readonly string[]) {
  const file = join(directory, `${Math.random()}.json`);
  const child = spawn(process.execPath, [main, "--json", file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  // After a timeout the drill stops its servers and apps.
  onTestFinished(() => void child.kill());
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const written = await readFile(file, "utf8").catch(() => undefined);
  const report: Report | undefined = written === undefined ? undefined : JSON.parse(written);
  return { exitCode, output, errors, report };
}

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
    const flags = ["--seed", "25", "--faults", "25", "--kinds", kindsOfTest.join(","), "--rate", "2000"];
    const { exitCode, output, errors, report } = await chaos(...flags);
    expect(report, `${output}\n${errors}`).toMatchObject({ audit: { lost: 0, doubled: 0 }, differences: [] });
    expect(exitCode).toBe(0);
    // Keys were used again, before and after the gateways forgot them, and bulk requests were repeated in part.
    expect(report?.load.reused.rejected).toBeGreaterThan(20);
    expect(report?.load.reused.acknowledged).toBeGreaterThan(20);
    expect(report?.load.partialRetries).toBeGreaterThan(20);
    expect(report?.contents.checked).toBeGreaterThan(10_000);
    expect(new Set(report?.faults.map(({ kind }) => kind)).size).toBe(25);
    expect(report?.audit.acknowledged).toBeGreaterThan(10_000);
    expect(report?.audit.stored).toBe(report?.audit.acknowledged);
    expect(report?.audit.ranked).toBe(report?.audit.acknowledged);
    expect(report?.domains.length).toBeGreaterThanOrEqual(5);
    for (const one of report?.domains ?? []) {
      expect(one.lost).toBe(0);
      expect(one.acknowledged).toBeGreaterThan(1000);
    }
  },
  drillWithinMs,
);

test.each([
  ["ledger", "writer.after-commit", "lost"],
  ["applied-mark", "duplicate-rank-deliveries,ranker.before-acknowledgement", "doubled"],
  ["early-ack", "writer-killed,writer.before-commit", "lost"],
  ["early-2xx", "gateway-killed,gateway.before-publish,broker-killed", "lost"],
] as const)(
  "the drill finds the sabotage %s",
  async (sabotage, kinds, found) => {
    const flags = ["--seed", "3", "--faults", "3", "--rate", "1500", "--kinds", kinds, "--sabotage", sabotage];
    const { exitCode, output, errors, report } = await chaos(...flags);
    expect(report?.audit[found], `${output}\n${errors}`).toBeGreaterThan(0);
    expect(exitCode).toBe(1);
  },
  drillWithinMs,
);

test(
  "the drill finds the sabotage key-comparison: acknowledged contents that are not kept",
  async () => {
    const flags = ["--seed", "3", "--faults", "1", "--rate", "1500", "--kinds", "writer-frozen"];
    const { exitCode, output, errors, report } = await chaos(...flags, "--sabotage", "key-comparison");
    expect(report?.contents.wrong, `${output}\n${errors}`).toBeGreaterThan(0);
    expect(report?.audit).toMatchObject({ lost: 0, doubled: 0 });
    expect(exitCode).toBe(1);
  },
  drillWithinMs,
);

test("wrong usage prints one line and starts nothing", async () => {
  for (const [flags, message] of [
    [["--kinds", "no-such-kind"], '--kinds: "no-such-kind" is not one of gateway-killed, '],
    [["--domain", "cars"], '--domain: "cars" is not one of purchases, '],
    [["--faults", "many"], "expected a whole number from 1 on"],
    [["--sabotage", "luck"], "Allowed choices are ledger, applied-mark, early-ack, key-comparison, early-2xx"],
  ] as const) {
    const { exitCode, errors, report } = await chaos(...flags);
    expect(errors).toContain(message);
    expect(exitCode).toBe(2);
    expect(report).toBeUndefined();
  }
});
