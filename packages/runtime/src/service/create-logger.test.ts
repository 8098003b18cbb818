import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createLogger, recentProblems } from "./create-logger.ts";

test("a line is JSON with ISO time, the level as a word and the causes of an error", () => {
  const cause = new Error("the disk is full");
  const line = logged((log) => log.warn({ err: new Error("cannot write", { cause }) }, "a warning"));
  expect(JSON.parse(line)).toMatchObject({
    level: "warn",
    name: "test",
    msg: "a warning",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    err: { message: "cannot write: the disk is full", stack: expect.stringContaining("the disk is full") },
  });
});

test.each([
  { password: "hunter2" },
  { options: { password: "hunter2", token: "hunter2" } },
  { req: { headers: { authorization: "Bearer hunter2", cookie: "hunter2" } } },
  { "x-api-key": "hunter2", headers: { "x-api-key": "hunter2" }, req: { headers: { "x-api-key": "hunter2" } } },
  { key: "hunter2", made: { id: "1", key: "hunter2" }, keys: { first: { key: "hunter2" } } },
  { url: "amqp://user:hunter2@host/vhost" },
  { deep: { down: { in: { it: "redis://:hunter2@host" } } } },
  { err: new Error("connect mysql://root:hunter2@host failed") },
  { several: "a://u:hunter2@h, b://u:hunter2@h" },
  { err: refusedBy("AUTH", "u", "hunter2") },
  { err: new Error("away", { cause: refusedBy("HELLO", "3", "AUTH", "u", "hunter2") }) },
  { err: Object.assign(new Error("away"), { previous: refusedBy("AUTH", "hunter2") }) },
  { err: new AggregateError([refusedBy("AUTH", "hunter2")], "away") },
])("a secret is never logged: %j", (fields) => {
  const line = logged((log) => log.info(fields, "http://hunter2:hunter2@host"));
  expect(line).toContain("***");
  expect(line).not.toContain("hunter2");
  expect(() => JSON.parse(line)).not.toThrow();
});

test("addresses without a password stay readable", () => {
  const line = logged((log) => log.info({ url: "http://host:1/a@b?c=d@e" }, "mail a@b.c"));
  expect(JSON.parse(line)).toMatchObject({ url: "http://host:1/a@b?c=d@e", msg: "mail a@b.c" });
});

test("an abrupt exit of a thread or of the process loses and mixes no line", async () => {
  const fixture = new URL("create-logger.fixture.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [fixture], { maxBuffer: 1e8 });
  const seen = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(seen).toHaveLength(3000);
  for (const thread of [0, 1, 2]) expect(seen).toContainEqual(expect.objectContaining({ thread, line: 999 }));
});

/** An error like ioredis throws it. */
function refusedBy(name: string, ...args: readonly string[]): Error {
  return Object.assign(new Error("WRONGPASS ***"), { command: { name, args } });
}

function logged(use: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  use(createLogger({ name: "test", level: "info", destination: { write: (line) => lines.push(line) } }));
  expect(lines).toHaveLength(1);
  return lines.join("");
}

const opened = (level: "info" | "error" = "info") =>
  createLogger({ name: "test", level, destination: { write: () => undefined } });

test("keeps the ten newest lines from warn on, newest first, with the reason of errors and without passwords", () => {
  const [log, other] = [opened(), opened("error")];
  other.warn("below its level");
  log.info("started");
  for (let n = 0; n < 12; n++) log.warn({ n }, `warning ${n}`);
  log.error({ err: new Error("refused", { cause: new Error("redis://:hunter2@host is down") }) }, "cannot connect");
  log.fatal(new Error("a bug"));
  expect(recentProblems(other)).toEqual([]);
  const problems = recentProblems(log);
  expect(problems).toHaveLength(10);
  expect(problems.slice(0, 3)).toEqual([
    { at: expect.stringMatching(/^20.*Z$/), level: "fatal", message: "a bug" },
    { at: expect.anything(), level: "error", message: "cannot connect: refused: redis://***@host is down" },
    { at: expect.anything(), level: "warn", message: "warning 11" },
  ]);
});
