import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../at-end.test-kit.ts";
import { directoryVariable, endLeftovers } from "./directory-lock.ts";

async function processOf(owner: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log('up')"], {
    env: { [directoryVariable]: owner },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return child;
}

test("a server left behind is ended, also one stopped by SIGSTOP; another process that has its old pid is not", async () => {
  const directory = await temporaryDirectory();
  mkdirSync(join(directory, "run"));
  const ours = await processOf(directory);
  const stopped = await processOf(directory);
  stopped.kill("SIGSTOP");
  const neighbour = await processOf(`${directory}-2`);
  const processes = { ours: ours.pid, stopped: stopped.pid, neighbour: neighbour.pid, us: process.pid };
  const others = { init: "1", group: "-1", zero: "0", empty: "", text: "x" };
  for (const [name, text] of Object.entries({ ...processes, ...others }))
    writeFileSync(join(directory, "run", `${name}.pid`), String(text));

  const said: string[] = [];
  await endLeftovers(directory, (line) => said.push(line));

  await expect.poll(() => [ours.signalCode, stopped.signalCode]).toEqual(["SIGTERM", "SIGTERM"]);
  expect(neighbour.signalCode).toBeNull();
  expect(said.toSorted()).toEqual([
    `Stopping ours, left behind by an earlier run (process ${ours.pid})`,
    `Stopping stopped, left behind by an earlier run (process ${stopped.pid})`,
  ]);
  expect(readdirSync(join(directory, "run"))).toEqual([]);
});
