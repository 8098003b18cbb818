import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { benchMain, root, runBench, startProcess } from "../kit/programs.ts";
import { expectCleanDrill, runDrill } from "../kit/run-drill.ts";
import { shellIn } from "./shell.ts";

/* The launcher's own containers: for bench and drill, and on a machine without any server. */

const { run, lines, leftOf } = shellIn(root, {});
const label = "com.docker.compose.project";
const projects = () =>
  lines(`docker ps --all --filter label=${label}.working_dir=${root}/infra --format '{{.Label "${label}"}}' | sort -u`);
const load = ["--services", "docker", "--connections", "4", "--duration", "1", "--warm-up", "0.5"];

test("a bench in containers deletes them; so does a bench that is interrupted, and one that follows a killed one", async () => {
  const before = await projects();
  const own = new Set<string>();
  const started = async () => {
    for (const project of await projects()) if (!before.includes(project)) own.add(project);
    return own.size;
  };
  const folder = await temporaryDirectory();
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    const bench = spawn(process.execPath, [benchMain, ...load, "--results", folder], { cwd: root, stdio: "pipe" });
    const exited = once(bench, "exit");
    let said = "";
    for await (const text of bench.stdout.setEncoding("utf8")) if ((said += text).includes("warming up")) break;
    await started();
    bench.kill(signal);
    expect(await exited).toEqual(signal === "SIGKILL" ? [null, signal] : [130, null]);
    if (signal === "SIGINT") expect([own.size, await leftOf(own)]).toEqual([1, []]);
  }
  expect((await leftOf(own)).length).toBeGreaterThan(8);
  const third = runBench(...load);
  await expect.poll(started, { timeout: 90_000 }).toBe(3);
  const { exitCode, output, report } = await third;
  expect(output).toContain("Deleting the containers of an earlier run");
  expect([exitCode, report.versions.servers, report.audit.lost]).toEqual([0, "docker", 0]);
  for (const tier of ["broker", "database", "redis"]) expect(report.cpuUsPerEvent[tier]).toBeGreaterThan(0);
  expect(await leftOf(own)).toEqual([]);
});

test("a drill kills and stops containers; it lists the faults that need programs, and rejects those that are named", async () => {
  const kinds = ["broker-killed", "primary-frozen", "redis-wiped", "link-cut"];
  await expectCleanDrill(kinds, "--services", "docker", "--rate", "300", "--seed", "7");
  const { exitCode, errors } = await runDrill("--services", "docker", "--kinds", "redis-killed-older");
  expect([exitCode, errors]).toEqual([2, "servers from docker do not allow redis-killed-older\n"]);
});

test("where an engine responds, tests use containers, with a namespace for each system", async () => {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "servers", "test/served-domains.test.ts"];
  const tests = startProcess(process.execPath, args, process.env);
  expect([await tests.ended, tests.output()]).toEqual([0, expect.stringContaining("Starting containers")]);
});

test.each([
  ["dev", "infra/local/src/dev/main.ts"],
  ["bench", "bench/measure/main.ts --results /tmp/results"],
  ["drill", "bench/drill/main.ts"],
  ["test", "node_modules/vitest/vitest.mjs run --configLoader runner --project servers test/contract.test.ts"],
])("on a machine without Docker, servers or root, %s ends with 2 and one true sentence", async (_, command) => {
  const node = `node:${/^nodeVersion: (\S+)$/m.exec(await run("cat pnpm-workspace.yaml"))?.[1]}-slim`;
  const mounts = ["--volume", `${root}:/tally:ro`, "--tmpfs", "/tally/.tally:uid=1000"];
  const args = ["run", "--rm", "--user", "1000:1000", "--workdir", "/tally", ...mounts, node, "node"];
  const alone = startProcess("docker", [...args, ...command.split(" ")], process.env);
  expect([await alone.ended, alone.output()]).toEqual([2, expect.not.stringMatching(/^ +at /m)]);
  expect(alone.output()).toMatch(
    /^These servers are missing: mariadb-server, rabbitmq-server, redis-server; tally installs them only with apt-get, as root or with passwordless sudo, and Docker does not take their place: the program docker is not installed\.$/m,
  );
});
