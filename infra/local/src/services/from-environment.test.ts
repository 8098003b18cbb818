import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fromEnvironment } from "./from-environment.ts";

const all = {
  AMQP_URL: "amqp://broker",
  DATABASE_WRITE_URL: "mysql://primary/tally",
  DATABASE_READ_URL: "mysql://replica/tally",
  REDIS_URL: "redis://store",
};

test("four addresses in the environment are used as they are", () => {
  expect(fromEnvironment(all)).toEqual({
    amqpUrl: "amqp://broker",
    databaseWriteUrl: "mysql://primary/tally",
    databaseReadUrl: "mysql://replica/tally",
    redisUrl: "redis://store",
  });
});

test("an environment without addresses has none; empty ones count as absent", () => {
  expect(fromEnvironment({ HOME: "/" })).toBeUndefined();
  expect(fromEnvironment({ AMQP_URL: "", REDIS_URL: "" })).toBeUndefined();
});

test("some addresses without the others are an error that names the missing ones", () => {
  expect(() => fromEnvironment({ ...all, DATABASE_READ_URL: "", REDIS_URL: undefined })).toThrow(
    expect.objectContaining({
      code: "environment-incomplete",
      message: expect.stringContaining("Missing: DATABASE_READ_URL, REDIS_URL."),
    }),
  );
});

test("an address can be in a file; value and file at once are an error that names both", () => {
  const directory = mkdtempSync(join(tmpdir(), "tally-environment-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "broker");
  writeFileSync(file, "amqp://u:hunter2@broker\n");
  const { AMQP_URL, ...others } = all;
  expect(fromEnvironment({ ...others, AMQP_URL_FILE: file })).toMatchObject({ amqpUrl: "amqp://u:hunter2@broker" });
  expect(() => fromEnvironment({ ...others, AMQP_URL, AMQP_URL_FILE: file })).toThrow("AMQP_URL and AMQP_URL_FILE");
  expect(() => fromEnvironment({ ...others, AMQP_URL_FILE: `${file}.gone` })).toThrow("file in AMQP_URL_FILE");
});
