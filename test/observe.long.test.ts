import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError, startObserve } from "@tally/local";
import { expect, onTestFinished, test, vi, type TestContext } from "vitest";
import { sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly unknown[];
}

/** Starts Prometheus beside a system. Skips the test where Prometheus cannot be installed. */
async function observed({ signal, skip }: TestContext) {
  const system = await startSystem();
  const directory = join(import.meta.dirname, "..", ".tally", `test-observe-${randomBytes(4).toString("hex")}`);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const environment = { PATH: process.env["PATH"] };
  try {
    const observe = await startObserve({
      directory,
      apps: system,
      environment,
      signal,
      say: () => undefined,
    });
    onTestFinished(() => observe.stop());
    return { system, observe, directory };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not-installed") throw error;
    return skip(`Prometheus is not installed, and cannot be installed here: ${error.message}`);
  }
}

test("Prometheus reads every app, and its rules find nothing wrong with a healthy system", async (context) => {
  const { system, observe, directory } = await observed(context);
  await sold(system.url, 5);

  const ask = async (path: string): Promise<string> => (await fetch(`${observe.prometheusUrl}/api/v1/${path}`)).text();
  const valuesOf = async (query: string, label: string) => {
    const { data } = JSON.parse(await ask(`query?query=${encodeURIComponent(query)}`));
    const result: readonly Sample[] = data.result;
    return Object.fromEntries(result.map(({ metric, value }) => [metric[label], value[1]]));
  };
  await vi.waitFor(async () => {
    expect(await valuesOf("up", "job")).toEqual({ gateway: "1", writer: "1", ranker: "1" });
    expect(await valuesOf('tally_http_request_seconds_count{status="201"}', "method")).toEqual({ POST: "1" });
    expect(await valuesOf("tally_seconds_to_drain", "domain")).toMatchObject({ purchases: "0", steps: "0" });
    expect(await valuesOf("tally_server_up", "server")).toEqual({
      broker: "1",
      databaseRead: "1",
      databaseWrite: "1",
      redis: "1",
    });
  }, 60_000);
  await vi.waitFor(async () => {
    const healths = (await ask("rules")).match(/(?<="health":")\w+/g) ?? [];
    expect(healths.length).toBeGreaterThan(10);
    expect(new Set(healths)).toEqual(new Set(["ok"]));
  }, 60_000);
  expect(await valuesOf('ALERTS{alertstate="firing"}', "alertname")).toEqual({});

  await observe.stop();
  expect(await readdir(join(directory, "run"))).toEqual([]);
});
