import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, expectTypeOf, test } from "vitest";
import { type ConfigSchema, readConfig, ConfigError } from "./config.ts";
import { choice, integer, list, string, subset, systemSettings, url, urls, redisUrl } from "./setting.ts";

const description = "its purpose";
const schema = {
  port: integer("PORT", description, { min: 0, max: 65535, default: 8080 }),
  amqpUrl: url("AMQP_URL", description, { protocols: ["amqp:", "amqps:"] }),
  redisUrl: url("REDIS_URL", description, { protocols: ["redis:"], default: "redis://u:hunter2@localhost" }),
  stopWithinMs: integer("STOP_WITHIN_MS", description, { min: 1, max: 60_000, unit: "ms", default: 10_000 }),
  logLevel: choice("LOG_LEVEL", description, { of: ["debug", "info"], default: "info" }),
  basePaths: list("BASE_PATHS", description, { default: ["/a", "/b"] }),
  region: string("REGION", description, { default: "here" }),
};
const nodes = { amqpUrl: urls("AMQP_URL", description, { protocols: ["amqp:", "amqps:"] }) };

const directory = mkdtempSync(join(tmpdir(), "tally-settings-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(name: string, content: string): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}

function problemsOf(environment: Record<string, string>, of: ConfigSchema = schema): ConfigError {
  try {
    readConfig(of, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("no problem was found");
}

test("absent and empty variables have their defaults, and the type follows the schema", () => {
  const config = readConfig(schema, { AMQP_URL: "amqp://localhost", PORT: "", BASE_PATHS: "" });
  const [amqpUrl, redisUrlDefault] = ["amqp://localhost", "redis://u:hunter2@localhost"];
  const numbers = { port: 8080, stopWithinMs: 10_000 };
  const texts = { amqpUrl, redisUrl: redisUrlDefault, logLevel: "info", basePaths: ["/a", "/b"], region: "here" };
  expect(config).toEqual({ ...numbers, ...texts });
  expectTypeOf(config).toEqualTypeOf<{
    readonly port: number;
    readonly amqpUrl: string;
    readonly redisUrl: string;
    readonly stopWithinMs: number;
    readonly logLevel: "debug" | "info";
    readonly basePaths: readonly string[];
    readonly region: string;
  }>();
  expect(config).toSatisfy(Object.isFrozen);
});

test("variables are read", () => {
  const given = { PORT: "0", LOG_LEVEL: "debug", BASE_PATHS: " /x, ,/y,", REGION: "there" };
  const read = { port: 0, logLevel: "debug", basePaths: ["/x", "/y"], region: "there" };
  expect(readConfig(schema, { ...given, AMQP_URL: "amqp://h" })).toMatchObject(read);
});

test("all problems of a configuration are reported at once", () => {
  const error = problemsOf({ PORT: "65536", STOP_WITHIN_MS: "5s", LOG_LEVEL: "INFO", REDIS_URL: "http://h" });
  expect(error.code).toBe("CONFIG_INVALID");
  expect(error.problems).toEqual([
    { variable: "PORT", expected: "a whole number from 0 to 65535", got: '"65536"' },
    { variable: "AMQP_URL", expected: "a URL, amqp://… or amqps://…", got: "nothing" },
    { variable: "REDIS_URL", expected: "a URL, redis://…", got: expect.stringContaining("http:// and more") },
    { variable: "STOP_WITHIN_MS", expected: "a whole number from 1 to 60000 (ms)", got: '"5s"' },
    { variable: "LOG_LEVEL", expected: "one of debug, info", got: '"INFO"' },
  ]);
  for (const { variable } of error.problems) expect(error.message).toContain(variable);
});

test.each(["1.0", "1e3", "0x10", " 1", "+1", "Infinity", "9".repeat(30)])("%j is not a whole number", (text) => {
  expect(problemsOf({ AMQP_URL: "amqp://h", PORT: text }).problems).toHaveLength(1);
});

test.each(["amqp://u:hunter2@h:port/", "u:hunter2@h", "hunter2", "http://u:hunter2@h", "amqp:hunter2", "x@h?hunter2"])(
  "a secret never appears in a message: %s",
  (text) => {
    const error = problemsOf({ AMQP_URL: text, PORT: `http://u:hunter2@h`, LOG_LEVEL: "u:hunter2@h" });
    expect(error.problems).toHaveLength(3);
    expect(error.message + JSON.stringify(error.problems)).not.toContain("hunter2");
  },
);

test("some of several words, each once and in their own order; without the variable all", () => {
  const own = { domains: subset("DOMAINS", "domains", { of: ["a", "b", "c"] }) };
  const domainsIn = (text: string) => readConfig(own, { DOMAINS: text }).domains;
  expect([domainsIn(""), domainsIn("c, a,c,")]).toEqual([
    ["a", "b", "c"],
    ["a", "c"],
  ]);
  expect(() => domainsIn("a,d")).toThrow('DOMAINS: expected some of a, b, c, separated by commas, got "d"');
  expect(() => domainsIn(",")).toThrow('got ","');
});

test.each([
  ["amqp://u:hunter2@h,http://u:hunter2@h", "as number 2 of 2 http:// and more"],
  ["amqp://u:hunter2@h,u:hunter2@h", "as number 2 of 2 a text"],
  ["amqp://h,amqp://u:hunter2%@h", "as number 2 of 2 one with a % that does not begin a code"],
  [" , ", "no URL"],
])("several URLs in one variable are checked one by one: %s", (text, got) => {
  const error = problemsOf({ AMQP_URL: text }, nodes);
  expect(error.message).not.toContain("hunter2");
  const expected = "one or more URLs separated by commas, amqp://… or amqps://…";
  expect(error.problems).toEqual([{ variable: "AMQP_URL", expected, got: expect.stringContaining(got) }]);
});

test("a URL of a database whose TLS does not verify is a problem", () => {
  const { databaseWriteUrl, databaseReadUrl } = systemSettings;
  const wrong = "mysql://u:hunter2@h/x?ssl-mode=REQUIRED";
  const given = { DATABASE_WRITE_URL: wrong, DATABASE_READ_URL: `mysql://h/x,${wrong}` };
  const { problems, message } = problemsOf(given, { databaseWriteUrl, databaseReadUrl });
  const got = 'one that is not valid: ssl-mode: expected VERIFY_IDENTITY or DISABLED, got "REQUIRED"';
  expect(problems.map((problem) => problem.got)).toEqual([got, `as number 2 of 2 ${got}`]);
  expect(message).not.toContain("hunter2");
});

test("a secret can be in a file, with or without a line break at its end", () => {
  const broker = fileWith("broker", "amqp://u:hunter2@a\n");
  const redis = fileWith("redis", "redis://u:hunter2@h\r\n");
  const plain = fileWith("plain", "redis://u:hunter2@h");
  const both = { amqpUrl: "amqp://u:hunter2@a", redisUrl: "redis://u:hunter2@h" };
  expect(readConfig(schema, { AMQP_URL_FILE: broker, REDIS_URL_FILE: redis })).toMatchObject(both);
  expect(readConfig(schema, { AMQP_URL_FILE: broker, REDIS_URL_FILE: plain, REDIS_URL: "" })).toMatchObject(both);
  const several = "amqp://u:hunter2@a, amqps://u:hunter2@b:2/v,";
  expect(readConfig(nodes, { AMQP_URL_FILE: fileWith("several", `${several}\n`) })).toEqual({ amqpUrl: several });
  const empty = readConfig(schema, { AMQP_URL: "amqp://h", REDIS_URL_FILE: "" });
  expect(empty.redisUrl).toBe("redis://u:hunter2@localhost");
});

test("a variable and its file together are a problem that names both", () => {
  const { problems } = problemsOf({ AMQP_URL: "amqp://h", AMQP_URL_FILE: fileWith("other", "amqp://u:hunter2@h") });
  expect(problems).toEqual([{ variable: "AMQP_URL and AMQP_URL_FILE", expected: "one of the two", got: "both" }]);
});

test("a file that is missing, empty or wrong is a problem without its content", () => {
  const expected = "the path of a file with the value";
  const { problems, message } = problemsOf({
    AMQP_URL_FILE: "amqp://u:hunter2@h",
    REDIS_URL_FILE: fileWith("empty", "\n"),
  });
  expect(problems).toEqual([
    { variable: "AMQP_URL_FILE", expected, got: "one that cannot be read (ENOENT)" },
    { variable: "REDIS_URL_FILE", expected, got: "an empty file" },
  ]);
  expect(message).not.toContain("hunter2");
  const wrong = problemsOf({ AMQP_URL_FILE: fileWith("wrong", "hunter2 amqp://u:hunter2@h") });
  expect(wrong.problems).toEqual([expect.objectContaining({ variable: "AMQP_URL" })]);
  expect(wrong.message).not.toContain("hunter2");
});

test("a setting without a secret has no file", () => {
  expect(readConfig(schema, { AMQP_URL: "amqp://h", PORT_FILE: fileWith("port", "1") })).toMatchObject({ port: 8080 });
});

const redisSchema = { redisUrl: redisUrl("REDIS_URL", "its purpose", {}) };

test.each([
  "redis://localhost",
  "rediss://u:p,w@h:6380/2",
  "redis+cluster://u:p@a:7000",
  "redis+cluster://u:p@a:7000, redis+cluster://b:7001, redis+cluster://u:p@[::1]:7002/0",
  "rediss+cluster://clustercfg.name.cache.amazonaws.com",
])("one server or a cluster: %s", (text) => {
  expect(readConfig(redisSchema, { REDIS_URL: text })).toEqual({ redisUrl: text });
});

test.each([
  ["redis://a,redis://b", "2 URLs of single servers"],
  ["redis+cluster://a,redis://b", "redis+cluster:// and more"],
  ["redis+cluster://a,rediss+cluster://b", "nodes that differ in protocol, user or password"],
  ["redis+cluster://u:hunter2@a,redis+cluster://u:hunter3@b", "nodes that differ in protocol, user or password"],
  ["redis+cluster://u:hunter2@a/1", "a cluster with the number of a database, which it does not have"],
  ["redis+cluster://", "redis+cluster:// and more"],
  ["redis://u:hunter2%@a", "one with a % that does not begin a code; in a password it is written %25"],
  ["http://u:hunter2@a", "http:// and more"],
  ["REDISS://u:hunter2@a", "a text 20 characters long"],
])("%s is rejected", (text, got) => {
  const { problems, message } = problemsOf({ REDIS_URL: text }, redisSchema);
  expect(problems).toEqual([
    {
      variable: "REDIS_URL",
      expected: expect.stringContaining("or nodes of a cluster separated by commas"),
      got: expect.stringContaining(got),
    },
  ]);
  expect(message).not.toContain("hunter");
});
