import { expect, test } from "vitest";
import { createLogger } from "./create-logger.ts";
import { recentProblems } from "./recent-problems.ts";

const quiet = { write: () => undefined };
const opened = (level: "info" | "error" = "info") => createLogger({ name: "test", level, destination: quiet });

test("keeps the ten newest lines of level warn and above, newest first, with the reason of their error and without passwords", () => {
  const log = opened();
  log.info("started");
  for (let n = 0; n < 12; n++) log.warn({ n }, `warning ${n}`);
  log.error({ err: new Error("refused", { cause: new Error("redis://:hunter2@host is down") }) }, "cannot connect");
  log.fatal(new Error("a bug"));
  const problems = recentProblems(log);
  expect(problems).toHaveLength(10);
  expect(problems.slice(0, 3)).toEqual([
    { at: expect.stringMatching(/^20.*Z$/), level: "fatal", message: "a bug" },
    { at: expect.anything(), level: "error", message: "cannot connect: refused: redis://***@host is down" },
    { at: expect.anything(), level: "warn", message: "warning 11" },
  ]);
});

test("each logger has its own, and lines below its level are not kept", () => {
  const [first, second] = [opened(), opened("error")];
  first.warn("one");
  second.warn("two");
  expect([recentProblems(first).length, recentProblems(second).length]).toEqual([1, 0]);
});
