import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { integer, url, urls } from "./setting.ts";

const schema = {
  amqpUrl: urls("AMQP_URL", { protocols: ["amqp:"], description: "the broker" }),
  redisUrl: url("REDIS_URL", { protocols: ["redis:"], default: "redis://default", description: "the rankings" }),
  port: integer("PORT", { min: 0, max: 65_535, default: 8080, description: "where it listens" }),
};
const directory = mkdtempSync(join(tmpdir(), "tally-settings-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(name: string, content: string): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}

function problemsOf(environment: Record<string, string>): ConfigError {
  try {
    readConfig(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("no problem was found");
}

test("a secret can be in a file, with or without a line break at its end", () => {
  const broker = fileWith("broker", "amqp://u:hunter2@a,amqp://u:hunter2@b\n");
  const redis = fileWith("redis", "redis://u:hunter2@h\r\n");
  const plain = fileWith("plain", "redis://u:hunter2@h");
  const both = { amqpUrl: "amqp://u:hunter2@a,amqp://u:hunter2@b", redisUrl: "redis://u:hunter2@h" };
  expect(readConfig(schema, { AMQP_URL_FILE: broker, REDIS_URL_FILE: redis })).toMatchObject(both);
  expect(readConfig(schema, { AMQP_URL_FILE: broker, REDIS_URL_FILE: plain, REDIS_URL: "" })).toMatchObject(both);
  expect(readConfig(schema, { AMQP_URL: "amqp://h", REDIS_URL_FILE: "" })).toMatchObject({
    amqpUrl: "amqp://h",
    redisUrl: "redis://default",
  });
});

test("a variable and its file at once are a problem that names both", () => {
  const { problems } = problemsOf({ AMQP_URL: "amqp://h", AMQP_URL_FILE: fileWith("other", "amqp://u:hunter2@h") });
  expect(problems).toEqual([{ variable: "AMQP_URL and AMQP_URL_FILE", expected: "one of the two", got: "both" }]);
});

test("a file that is missing, empty or wrong is a problem that does not tell its content", () => {
  const { problems, message } = problemsOf({
    AMQP_URL_FILE: "amqp://u:hunter2@h",
    REDIS_URL_FILE: fileWith("empty", "\n"),
  });
  expect(problems).toEqual([
    {
      variable: "AMQP_URL_FILE",
      expected: "the path of a file with the value",
      got: "one that cannot be read (ENOENT)",
    },
    { variable: "REDIS_URL_FILE", expected: "the path of a file with the value", got: "an empty file" },
  ]);
  expect(message).not.toContain("hunter2");
  const wrong = problemsOf({ AMQP_URL_FILE: fileWith("wrong", "hunter2 amqp://u:hunter2@h") });
  expect(wrong.problems).toEqual([expect.objectContaining({ variable: "AMQP_URL" })]);
  expect(wrong.message).not.toContain("hunter2");
});

test("a setting that holds no secret has no file", () => {
  expect(readConfig(schema, { AMQP_URL: "amqp://h", PORT_FILE: fileWith("port", "1") })).toMatchObject({ port: 8080 });
});
