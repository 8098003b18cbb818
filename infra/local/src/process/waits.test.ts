import { expect, test } from "vitest";
import { Waits } from "./until.ts";

test("the text names everything that is waited for, until it has ended or failed", async () => {
  const waits = new Waits();
  expect(waits.text).toBeUndefined();
  const [broker, database] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const first = waits.during("rabbitmq", () => broker.promise);
  const second = waits.during("database", () => database.promise);
  expect(waits.text).toMatch(/^waiting for rabbitmq \(\d+ s\), database \(\d+ s\)$/);
  broker.resolve(7);
  expect(await first).toBe(7);
  expect(waits.text).toMatch(/^waiting for database \(\d+ s\)$/);
  database.reject(new Error("failed"));
  await expect(second).rejects.toThrow("failed");
  expect(waits.text).toBeUndefined();
});
