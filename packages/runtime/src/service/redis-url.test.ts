import { expect, test } from "vitest";
import { ConfigError } from "./config-error.ts";
import { readConfig } from "./config.ts";
import { redisUrl } from "./setting.ts";

const schema = { redisUrl: redisUrl("REDIS_URL", "its purpose", {}) };

test.each([
  "redis://localhost",
  "rediss://u:p,w@h:6380/2",
  "redis+cluster://u:p@a:7000",
  "redis+cluster://u:p@a:7000, redis+cluster://b:7001, redis+cluster://u:p@[::1]:7002/0",
  "rediss+cluster://clustercfg.name.cache.amazonaws.com",
])("one server or a cluster: %s", (text) => {
  expect(readConfig(schema, { REDIS_URL: text })).toEqual({ redisUrl: text });
});

test.each([
  ["redis://a,redis://b", "2 URLs of single servers"],
  ["redis+cluster://a,redis://b", "redis+cluster:// and more"],
  ["redis+cluster://a,rediss+cluster://b", "nodes that differ in protocol, user or password"],
  ["redis+cluster://u:hunter2@a,redis+cluster://u:hunter3@b", "nodes that differ in protocol, user or password"],
  ["redis+cluster://u:hunter2@a/1", "a cluster with the number of a database, which it does not have"],
  ["redis+cluster://", "redis+cluster:// and more"],
  ["http://u:hunter2@a", "http:// and more"],
])("%s is rejected", (text, got) => {
  let error: unknown;
  try {
    readConfig(schema, { REDIS_URL: text });
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof ConfigError)) return expect.fail("accepted");
  expect(error.problems).toEqual([
    {
      variable: "REDIS_URL",
      expected:
        "a URL, redis://… or rediss://…, or nodes of a cluster separated by commas, redis+cluster://… or rediss+cluster://…",
      got: expect.stringContaining(got),
    },
  ]);
  expect(error.message).not.toContain("hunter");
});
