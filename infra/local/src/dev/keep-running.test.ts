import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type AppName, appNames, appServer } from "../start-apps.ts";
import { freePorts } from "../process/free-ports.ts";
import { temporaryDirectory } from "../at-end.test-kit.ts";
import { keepRunning } from "./keep-running.ts";

// A checkout of three small apps that import one package.
const root = await temporaryDirectory();
const appSource = (app: AppName, version: string): string => `
import { createServer } from "node:http";
import { shared } from "../../../packages/shared/src/shared.ts";
const server = createServer((_, response) => response.end("${version} " + shared));
server.listen(process.env.${app.toUpperCase()}_HEALTH_PORT, "127.0.0.1");
process.on("SIGTERM", () => {
  console.log("drained");
  server.close();
  server.closeAllConnections();
});`;
function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const stopping = new AbortController();
const lines: string[] = [];
const ports = await freePorts(4);
/** The processes at the time of each migration. */
const migrated: unknown[] = [];
const server = (app: AppName, port = 0, name: string = app) => {
  const home = { directory: root, environment: {}, say: () => undefined, signal: stopping.signal };
  return appServer({ app, name, port, healthPort: port, args: [join(root, "apps", app, "src", "main.ts")] }, home);
};
const apps = {
  gateway: server("gateway", ports[0]),
  writer: server("writer", ports[1]),
  ranker: server("ranker", ports[2]),
};
// A server, for which any process serves.
const store = server("gateway", ports[3], "store");
const all = Object.values(apps);
const pids = () => all.map(({ pid }) => pid);
const migrate = () => delay(200).then(() => void migrated.push(pids()));

beforeAll(async () => {
  for (const app of appNames) write(`apps/${app}/src/main.ts`, appSource(app, "1"));
  write("packages/shared/src/shared.ts", "export const shared = 1;");
  await Promise.all([store, ...all].map((one) => one.start()));
  keepRunning({
    apps: { ...apps, migrate },
    servers: [store],
    say: (line) => lines.push(line),
    signal: stopping.signal,
    watchedRoot: root,
  });
});
afterAll(async () => {
  stopping.abort();
  await Promise.all([store, ...all].map((one) => one.stop()));
});

const expectRunning = (app: AppName, code: string) =>
  vi.waitFor(async () => expect(await (await fetch(`http://127.0.0.1:${apps[app].port}`)).text()).toBe(code), 20_000);

test("a changed app drains and runs the new code, although the clock steps back; the other apps continue", async () => {
  const [gateway, writer, ranker] = pids();
  let wallMs = 0;
  vi.spyOn(Date, "now").mockImplementation(() => (wallMs -= 7_200_000));
  onTestFinished(() => void vi.restoreAllMocks());
  write("apps/writer/src/main.test.ts", "a test");
  write("apps/writer/src/main.ts", appSource("writer", "2"));
  await expectRunning("writer", "2 1");
  expect(pids()).toEqual([gateway, expect.any(Number), ranker]);
  expect(apps.writer.pid).not.toBe(writer);
  expect(readFileSync(apps.writer.logFile, "utf8")).toBe("drained\n");
});

test("a change in packages restarts all apps; a new migration is applied before", async () => {
  expect(migrated).toEqual([]);
  const before = pids();
  write("packages/shared/migrations/001.sql", "SELECT 1");
  write("packages/shared/src/shared.ts", "export const shared = 2;");
  await Promise.all([expectRunning("gateway", "1 2"), expectRunning("writer", "2 2"), expectRunning("ranker", "1 2")]);
  expect(migrated).toEqual([before]);
});

test("an app with a syntax error waits for the next change", async () => {
  lines.length = 0;
  write("apps/ranker/src/main.ts", "const = 1;");
  await vi.waitFor(() => expect(lines.at(-1)).toContain("ranker does not run: waiting for the next change"), 20_000);
  expect(lines.join("\n")).toContain("SyntaxError");
  expect(lines.filter((line) => line.includes("starting ranker"))).toEqual(["  starting ranker again"]);
  write("apps/ranker/src/main.ts", appSource("ranker", "3"));
  await expectRunning("ranker", "3 2");
});

test.each([
  ["an app", apps.gateway],
  ["a server", store],
])("%s that was killed is started again", async (_, killed) => {
  const { name, pid } = killed;
  lines.length = 0;
  killed.kill("SIGKILL");
  await vi.waitFor(() => expect(killed.pid).toSatisfy((now) => now !== undefined && now !== pid), 20_000);
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${killed.port}`)).status).toBe(200), 20_000);
  expect(lines).toContain(`  starting ${name} again`);
});

test("a server whose start fails is tried again after 5 s", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const start = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("no disk"));
  const failing = { name: "failing", pid: undefined, start, stop: async () => undefined };
  keepRunning({ apps: { ...apps, migrate }, servers: [failing], say: () => undefined, signal: stopping.signal });
  await vi.advanceTimersByTimeAsync(5000);
  expect(start).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(start).toHaveBeenCalledTimes(2);
});
