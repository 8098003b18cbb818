import type { SqlReader } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import type { StoredKey } from "./keys.ts";
import { HeldKey, KeyRing, hashOfKeyText, newKeyId, newKeyText } from "./key-ring.ts";

const id = newKeyId();
const text = newKeyText(id);
const before = newKeyText(id);
const stored = (more: Partial<StoredKey> = {}): StoredKey => ({
  id,
  name: "till 5",
  scopes: ["purchases:write", "*:read"],
  stores: undefined,
  limit: undefined,
  createdAt: 0,
  revokedAt: undefined,
  previousUntil: undefined,
  previousHash: undefined,
  secretHash: hashOfKeyText(text),
  version: 1,
  ...more,
});

test("the text of a key is accepted every time, other texts never", () => {
  const key = new HeldKey(stored());
  const wrong = [newKeyText(id), newKeyText(newKeyId()), text.slice(1), `${text} `, text.replace(/.$/, "\u00ff"), ""];
  for (let round = 0; round < 3; round++) {
    for (const other of wrong) expect(key.check(other)).toBeUndefined();
    expect(key.check(text)?.keyId).toBe(id);
  }
});

test("a change that leaves every key as it was is read once", async () => {
  const statements: string[] = [];
  const query: SqlReader["query"] = async (sql) => {
    statements.push(sql);
    return JSON.parse(sql.includes("api_key_version") ? '[{"version":7}]' : "[]");
  };
  const outage = { failed: (error: unknown) => expect.fail(String(error)), worked: () => undefined };
  const ring = new KeyRing({ reader: { query }, outage });
  for (let n = 0; n < 2; n++) await ring.refresh();
  expect(statements).toHaveLength(3);
});

test("the secret before a rotation is accepted until its end, also if it was accepted before", () => {
  vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const key = new HeldKey(stored({ previousHash: hashOfKeyText(before), previousUntil: 5000 }));
  expect(key.check(before)?.keyId).toBe(id);
  expect(key.check(text)?.keyId).toBe(id);
  expect(key.check(before)?.keyId).toBe(id);
  vi.setSystemTime(5000);
  expect(key.check(before)).toBeUndefined();
  expect(key.check(text)?.keyId).toBe(id);
  expect(key.check(before)).toBeUndefined();
});
