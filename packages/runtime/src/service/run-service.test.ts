import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";

test.each([
  ["waits for the work, once", "works", "SIGTERM", 0, /fixture: stopped/],
  ["waits for the work, once", "works", "SIGINT", 0, /fixture: stopped/],
  ["that takes too long exits anyway", "hangs when stopping", "SIGTERM", 1, /did not stop within 1000 ms/],
  ["that fails logs the reason", "fails when stopping", "SIGTERM", 1, /cannot close/],
] as const)("a stop %s: %s, %s, status %i", async (_, behaviour, signal, status, output) => {
  const service = run(behaviour);
  await service.prints("fixture: started");
  service.kill(signal);
  expect(await service.status).toBe(status);
  expect(service.output()).toMatch(output);
  expect(service.output().split("the work is done")).toHaveLength(behaviour === "works" ? 2 : 1);
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

test("a signal ends an unfinished start", async () => {
  const service = run("starts forever");
  await service.prints("starting");
  service.kill("SIGTERM");
  expect(await service.status).toBe(0);
});

test.each([
  ["throws later", /"level":"fatal".*thrown later/],
  ["rejects later", /"level":"fatal".*rejected later/],
  ["cannot start", /"level":"fatal".*nothing to start.*its reason/],
])("a service that %s logs it as fatal and exits with 1", async (behaviour, output) => {
  const service = run(behaviour);
  expect(await service.status).toBe(1);
  expect(service.output()).toMatch(output);
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
  onTestFinished(() => void child.kill("SIGKILL"));
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
