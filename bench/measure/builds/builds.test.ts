import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { processesNaming, temporaryDirectory } from "@tally/local/at-end";
import { expect, onTestFinished, test, vi } from "vitest";
import { addressesIn, openBuild, withBuilds } from "./builds.ts";

const printed = (metrics: readonly string[]) =>
  `  gateway serves on port 8081 (1.2 s)\n\n  API      http://127.0.0.1:8081\n  metrics  ${metrics.join(", ")}\n  logs     a.log\n\nready\n`;
const own = ["http://127.0.0.1:21001/metrics", "http://127.0.0.1:21002/metrics"];

test.each(["http://127.0.0.1:8081/metrics", "http://127.0.0.1:20001/metrics"])(
  "the addresses of a build are those that its launcher prints, with the gateway's metrics at %s",
  (gateway) => {
    expect(addressesIn(printed([gateway, ...own]))).toEqual({
      urls: ["http://127.0.0.1:8081"],
      writerUrls: ["http://127.0.0.1:21001"],
      rankerUrls: ["http://127.0.0.1:21002"],
    });
  },
);

test("a launcher that prints no addresses is an error with its output", () => {
  expect(() => addressesIn("tally: starting services\nready\n")).toThrow(/no addresses:\ntally: starting services/);
});

test("a build ranks by quantity alone, as this checkout does, and the next claim of its directory ends it", async () => {
  const folder = await temporaryDirectory();
  const isOwn = "test $$ = $(cat run/launcher.pid) && echo own";
  const dev = `sh -c 'until test -s run/launcher.pid; do sleep 0.1; done; echo $BY $TALLY_DIRECTORY $(${isOwn})'`;
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { dev } }));
  const plan = { settings: {}, signal: new AbortController().signal };
  await expect(openBuild({ commit: "", folder }, plan)).rejects.toThrow(`quantity ${folder} own`);
});

test("an interrupted installation leaves no process behind", async () => {
  const root = await temporaryDirectory();
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a", ...args], { cwd: root });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "a");
  await writeFile(join(root, "npx"), "#!/bin/sh\nsleep 300\ntrue\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${root}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const interrupted = new AbortController();
  const plan = { root, say: () => undefined, signal: interrupted.signal };
  const installed = withBuilds(["HEAD"], plan, async () => undefined);
  // Git has the same PATH.
  await expect.poll(() => processesNaming(`${root}/npx`).length).toBe(1);
  // The shell and what it has started.
  await expect.poll(() => processesNaming(`PATH=${root}:`).length).toBe(2);
  interrupted.abort();
  await expect(installed).rejects.toThrow();
  await expect.poll(() => processesNaming(`PATH=${root}:`), { timeout: 10_000 }).toEqual([]);
});
