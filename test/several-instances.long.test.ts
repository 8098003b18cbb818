import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { processesNaming } from "@tally/local";
import { afterAll, expect, test, vi } from "vitest";
import { startSystem } from "./start-system.ts";

const system = await startSystem(
  {},
  {
    instances: { gateway: 2, writer: 2 },
    environmentOf: (app, index) => ({ SEEN: `${app} ${index}` }),
    execArgv: (app, index) => [`--title=${app}-${index}`],
  },
);
afterAll(() => system.stop());

const isLive = async (url: string): Promise<boolean> =>
  fetch(`${url}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );
const seenBy = (pid: number | undefined): string =>
  readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .find((variable) => variable.startsWith("SEEN=")) ?? "";

test("each instance of an app has its number, port and environment; a single one has the app's name", async () => {
  const all = [...system.gateways, ...system.writers, ...system.rankers];
  expect(all.map(({ name }) => name)).toEqual(["gateway-1", "gateway-2", "writer-1", "writer-2", "ranker"]);
  expect(new Set(all.map(({ port }) => port)).size).toBe(5);
  expect(all.map(({ pid }) => seenBy(pid))).toEqual(
    ["gateway 0", "gateway 1", "writer 0", "writer 1", "ranker 0"].map((seen) => `SEEN=${seen}`),
  );
  expect(await Promise.all(system.urls.map(isLive))).toEqual([true, true]);
  expect(system.url).toBe(system.urls[0]);
});

test("a rolling restart stops each gateway cleanly and starts it again at its URL, while the other one serves", async () => {
  for (const [index, gateway] of system.gateways.entries()) {
    const before = gateway.pid;
    expect(await gateway.stop()).toBe(0);
    expect(await Promise.all(system.urls.map(isLive))).toEqual([index !== 0, index !== 1]);
    await gateway.start();
    expect(gateway.pid).not.toBe(before);
  }
  expect(await Promise.all(system.urls.map(isLive))).toEqual([true, true]);
});

/** The processes of a directory, by the mark in their environment. */
const processesOf = (directory: string) => processesNaming(`=${directory}\0`);

/** Starts a launcher as a process; resolves when its apps serve. */
async function launch(directory: string) {
  const launcher = spawn(process.execPath, [join(import.meta.dirname, "start-apps.fixture.ts")], {
    env: { PATH: process.env["PATH"], DIRECTORY: directory, ADDRESSES: JSON.stringify(system.addresses) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  launcher.stdout.on("data", (data: Buffer) => (output += data.toString()));
  await vi.waitFor(() => expect(output).toContain("serving"), { timeout: 40_000 });
  return { launcher, output: () => output };
}

test("apps end with a launcher that throws; the next launcher ends the apps of a killed one", async () => {
  const directory = join(import.meta.dirname, "..", ".tally", `test-apps-${system.namespace}`, "launched");
  const killed = await launch(directory);
  killed.launcher.kill("SIGKILL");
  await once(killed.launcher, "exit");
  const left = processesOf(directory);
  expect(left).toHaveLength(3);

  const next = await launch(directory);
  expect(next.output().match(/left behind by an earlier run/g)).toHaveLength(3);
  expect(processesOf(directory).filter((pid) => left.includes(pid))).toEqual([]);

  next.launcher.stdin.end(); // makes it throw
  await once(next.launcher, "exit");
  await vi.waitFor(() => expect(processesOf(directory)).toEqual([]), { timeout: 25_000 });
}, 120_000);
