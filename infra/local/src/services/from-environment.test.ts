import { expect, test } from "vitest";
import { fromEnvironment } from "./addresses.ts";

const all = {
  AMQP_URL: "amqp://broker",
  DATABASE_WRITE_URL: "mysql://primary/tally",
  DATABASE_READ_URL: "mysql://replica/tally",
  REDIS_URL: "redis://store",
};

test("an environment without addresses has none; empty ones count as absent", () => {
  expect(fromEnvironment({ HOME: "/" })).toBeUndefined();
  expect(fromEnvironment({ AMQP_URL: "", REDIS_URL: "" })).toBeUndefined();
});

test("some addresses without the others are an error that names the missing ones", () => {
  expect(() => fromEnvironment({ ...all, DATABASE_READ_URL: "", REDIS_URL: undefined })).toThrow(
    expect.objectContaining({
      code: "environment-incomplete",
      message: expect.stringMatching(/DATABASE_READ_URL: .* got nothing\n *REDIS_URL: .* got nothing/),
    }),
  );
});

test("an address can be in a file", () => {
  expect(() => fromEnvironment({ ...all, AMQP_URL: "", AMQP_URL_FILE: "/gone" })).toThrow("AMQP_URL_FILE: expected");
});
