import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "./at-end.ts";
import { benchMain, runBench } from "./run-program.ts";
import { sold } from "./sell.ts";
import { startSystem } from "./start-system.ts";
import { tallyJson } from "./start-tally.ts";

/* A replay and a load of agents through a whole system. */

vi.setConfig({ testTimeout: 10 * 60_000 });

const token = "a-token-of-a-test-0123456789";

async function startAgent(): Promise<string> {
  const { HOST: _host, ...environment } = process.env;
  const agent = spawn(process.execPath, [benchMain, "agent", "--port", "0"], {
    env: { ...environment, TALLY_BENCH_TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void agent.kill());
  const [line]: unknown[] = await once(createInterface({ input: agent.stdout }), "line");
  return String(line).replace("agent at ", "");
}

test("a replay of an export: keys of the file add each event once, new keys add all of them again", async () => {
  const system = await startSystem();
  for (let item = 1; item <= 20; item++) await sold(system.url, 7, { item, quantity: 2 });
  await tallyJson(system, "audit");
  const file = join(await temporaryDirectory(), "day.ndjson");
  expect(await tallyJson(system, "export", "--output", file)).toMatchObject({ events: 20 });
  // The ids of the events that the first and the third replay add are made of their keys.
  for (const keys of ["same", "same", "new"]) {
    const flags = ["--replay", file, "--speed", "1000", "--connections", "4", "--target", system.url];
    const { exitCode, report } = await runBench(...flags, "--replay-keys", keys);
    expect({ exitCode, report }).toMatchObject({
      exitCode: 0,
      report: { model: "replay", accepted: { events: 20 }, replay: { events: 20, untimed: 0, speed: 1000, keys } },
    });
  }
  expect((await tallyJson(system, "audit")).audit.stored).toBe(60);
});

test("two agents load a fresh system: every event that they had accepted is audited", async () => {
  vi.stubEnv("TALLY_BENCH_TOKEN", token);
  onTestFinished(() => void vi.unstubAllEnvs());
  const urls = await Promise.all([startAgent(), startAgent()]);
  const load = ["--amount", "2000", "--connections", "16", "--agents", urls.join(",")];
  const { exitCode, report, output } = await runBench(...load);
  expect({ exitCode, report }).toMatchObject({
    exitCode: 0,
    report: {
      sent: 2000,
      accepted: { events: 2000 },
      agents: [
        { url: urls[0], sent: 1000 },
        { url: urls[1], sent: 1000 },
      ],
      audit: { acknowledged: 2000, stored: 2000, ranked: 2000, lost: 0, doubled: 0 },
      disturbance: { foreign: { percent: expect.any(Number) } },
    },
  });
  expect(output + JSON.stringify(report)).not.toContain(token);
});
