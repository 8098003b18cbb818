import { expect, expectTypeOf, test } from "vitest";
import { type ConfigSchema, describeConfig, readConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { choice, integer, list, string, url, urls } from "./setting.ts";

const schema = {
  port: integer("PORT", { min: 0, max: 65535, default: 8080, description: "where the gateway listens" }),
  amqpUrl: url("AMQP_URL", { protocols: ["amqp:", "amqps:"], description: "the broker" }),
  redisUrl: url("REDIS_URL", {
    protocols: ["redis:"],
    default: "redis://u:hunter2@localhost",
    description: "the rankings",
  }),
  stopWithinMs: integer("STOP_WITHIN_MS", {
    min: 1,
    max: 60_000,
    unit: "ms",
    default: 10_000,
    description: "time to stop",
  }),
  logLevel: choice("LOG_LEVEL", { of: ["debug", "info"], default: "info", description: "the least that is logged" }),
  basePaths: list("BASE_PATHS", { default: ["/a", "/b"], description: "prefixes of all routes" }),
  region: string("REGION", { default: "here", description: "where it runs" }),
};

test("absent and empty variables take their defaults, and the type follows the schema", () => {
  const config = readConfig(schema, { AMQP_URL: "amqp://localhost", PORT: "", BASE_PATHS: "" });
  expect(config).toEqual({
    port: 8080,
    amqpUrl: "amqp://localhost",
    redisUrl: "redis://u:hunter2@localhost",
    stopWithinMs: 10_000,
    logLevel: "info",
    basePaths: ["/a", "/b"],
    region: "here",
  });
  expectTypeOf(config).toEqualTypeOf<{
    readonly port: number;
    readonly amqpUrl: string;
    readonly redisUrl: string;
    readonly stopWithinMs: number;
    readonly logLevel: "debug" | "info";
    readonly basePaths: readonly string[];
    readonly region: string;
  }>();
});

test("given variables are read", () => {
  const given = {
    AMQP_URL: "amqps://u:p@h/v",
    PORT: "0",
    LOG_LEVEL: "debug",
    BASE_PATHS: " /x, ,/y,",
    REGION: "there",
  };
  expect(readConfig(schema, given)).toMatchObject({
    amqpUrl: "amqps://u:p@h/v",
    port: 0,
    logLevel: "debug",
    basePaths: ["/x", "/y"],
    region: "there",
  });
});

test("a configuration cannot be changed", () => {
  expect(readConfig(schema, { AMQP_URL: "amqp://h" })).toSatisfy(Object.isFrozen);
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

test.each(["1.0", "1e3", "0x10", " 1", "+1", "Infinity", "9".repeat(30)])("%j is no whole number", (text) => {
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

const nodes = { amqpUrl: urls("AMQP_URL", { protocols: ["amqp:", "amqps:"], description: "the nodes" }) };

test("several URLs are checked one by one, and stay the text that was given", () => {
  const given = "amqp://u:p@h, amqps://h:2/v,";
  expect(readConfig(nodes, { AMQP_URL: given })).toEqual({ amqpUrl: given });
  for (const [text, got] of [
    ["amqp://u:hunter2@h,http://u:hunter2@h", "as number 2 of 2 http:// and more"],
    ["amqp://u:hunter2@h,u:hunter2@h", "as number 2 of 2 a text"],
    [" , ", "no URL"],
  ] as const) {
    const error = problemsOf({ AMQP_URL: text }, nodes);
    expect(error.message).not.toContain("hunter2");
    expect(error.problems).toEqual([
      {
        variable: "AMQP_URL",
        expected: "one or more URLs between commas, amqp://… or amqps://…",
        got: expect.stringContaining(got),
      },
    ]);
  }
});

test("a schema describes itself, without secrets", () => {
  const rows = describeConfig(schema);
  expect(rows).toHaveLength(7);
  expect(rows[0]).toEqual({
    variable: "PORT",
    expected: "a whole number from 0 to 65535",
    default: "8080",
    description: "where the gateway listens",
  });
  expect(rows.map((row) => row.default)).toEqual([
    "8080",
    undefined,
    "redis://***@localhost",
    "10000",
    "info",
    "/a,/b",
    "here",
  ]);
});

function problemsOf(environment: Record<string, string>, of: ConfigSchema = schema): ConfigError {
  try {
    readConfig(of, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("no problem was found");
}
