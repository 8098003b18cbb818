import { expect, test } from "vitest";
import { firstFailure, runCommand } from "./run-command.ts";

test("a caller gets each line of both outputs, and both as a whole", async () => {
  const lines: string[] = [];
  const program = "console.log('one'); console.log('two'); console.error('three')";
  const onLine = (line: string) => void lines.push(line);
  const result = await runCommand(process.execPath, ["-e", program], { environment: {}, onLine });
  expect(result).toEqual({ exitCode: 0, output: "one\ntwo\n", errors: "three\n" });
  expect(lines.toSorted()).toEqual(["one", "three", "two"]);
});

test.each([
  ["a timeout", () => ({ timeoutMs: 500 })],
  ["an abort", () => ({ signal: AbortSignal.timeout(500) })],
])("%s ends a command and what it has started", async (_, limit) => {
  const startedAt = performance.now();
  const run = runCommand("sh", ["-c", "sleep 60; true"], { environment: process.env, ...limit() });
  expect(await run).toMatchObject({ exitCode: null });
  expect(performance.now() - startedAt).toBeLessThan(50_000);
});

test("of a failure and of those of its disposal, the first one is reported", async () => {
  const failed = async (): Promise<void> => {
    await using opened = new AsyncDisposableStack();
    for (const name of ["last", "second"]) opened.defer(() => Promise.reject(new Error(name)));
    throw new Error("first");
  };
  expect(firstFailure(await failed().catch((error: unknown) => error))).toEqual(new Error("first"));
});
