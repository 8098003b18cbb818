import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

test.each(["SIGTERM", "SIGINT"] as const)("%s waits for the work, once, and exits with 0", async (signal) => {
  const service = run("works");
  await service.prints("fixture: started");
  service.kill(signal);
  expect(await service.status).toBe(0);
  expect(service.output().match(/the work is done/g)).toHaveLength(1);
  expect(service.output()).toContain("fixture: stopped");
});

test("a service that does not stop in time logs it and exits with 1", async () => {
  const service = run("hangs when stopping");
  await service.prints("fixture: started");
  service.kill("SIGTERM");
  expect(await service.status).toBe(1);
  expect(service.output()).toContain("did not stop within 1000 ms");
});

test("a second signal exits at once", async () => {
  const service = run("hangs when stopping");
  await service.prints("fixture: started");
  service.kill("SIGTERM");
  await service.prints("fixture: stopping");
  service.kill("SIGINT");
  expect(await service.status).toBe(1);
  expect(service.output()).toContain("second signal");
  expect(service.output()).not.toContain("did not stop within");
});

test("a stop that fails logs the reason and exits with 1", async () => {
  const service = run("fails when stopping");
  await service.prints("fixture: started");
  service.kill("SIGTERM");
  expect(await service.status).toBe(1);
  expect(service.output()).toContain("cannot close");
});

test("a signal ends an unfinished start", async () => {
  const service = run("starts for ever");
  await service.prints("starting");
  service.kill("SIGTERM");
  expect(await service.status).toBe(0);
});

test.each([
  ["throws later", "thrown later"],
  ["rejects later", "rejected later"],
])("an uncaught error is logged as fatal and exits with 1: %s", async (behaviour, message) => {
  const service = run(behaviour);
  expect(await service.status).toBe(1);
  expect(service.output()).toMatch(new RegExp(`"level":"fatal".*${message}`));
});

test("a start that fails is logged as fatal with its cause and exits with 1", async () => {
  const service = run("cannot start");
  expect(await service.status).toBe(1);
  expect(service.output()).toMatch(/"level":"fatal".*nothing to start.*its reason/);
});

test("an invalid configuration is printed in plain lines without a stack, and the status is 2", async () => {
  const service = run("has no configuration");
  expect(await service.status).toBe(2);
  expect(service.output()).toBe(
    [
      "the configuration in the environment is not valid",
      "  NO_PORT: expected a whole number from 0 to 1, got nothing",
      "  NO_URL: expected a URL, a://…, got nothing\n",
    ].join("\n"),
  );
});

function run(behaviour: string) {
  const child = spawn(process.execPath, [new URL("run-service.fixture.ts", import.meta.url).pathname, behaviour], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return {
    output: () => output,
    prints: (text: string) => vi.waitFor(() => expect(output).toContain(text), 10_000),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    status: once(child, "close").then(([status]: unknown[]) => status),
  };
}
