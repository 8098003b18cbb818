import { expect, onTestFinished, test, vi } from "vitest";
import type { StoredKey } from "./keys.ts";
import { HeldKey, hashOfKeyText, newKeyId, newKeyText } from "./key-ring.ts";

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
