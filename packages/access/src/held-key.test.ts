import { expect, test, vi } from "vitest";
import type { StoredKey } from "./api-key.ts";
import { HeldKey } from "./held-key.ts";
import { hashOfKeyText, newKeyId, newKeyText } from "./key-text.ts";

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

test("a key's text is accepted every time, and no other text before or after that", () => {
  const key = new HeldKey(stored());
  const wrong = [newKeyText(id), newKeyText(newKeyId()), text.slice(1), `${text} `, text.replace(/.$/, "\u00ff"), ""];
  for (let round = 0; round < 3; round++) {
    for (const other of wrong) expect(key.check(other)).toBeUndefined();
    expect(key.check(text)?.keyId).toBe(id);
  }
});

test("the secret before a rotation is accepted until its time is over, also when it was accepted before", () => {
  vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
  try {
    const key = new HeldKey(stored({ previousHash: hashOfKeyText(before), previousUntil: 5000 }));
    expect(key.check(before)?.keyId).toBe(id);
    expect(key.check(text)?.keyId).toBe(id);
    expect(key.check(before)?.keyId).toBe(id);
    vi.setSystemTime(5000);
    expect(key.check(before)).toBeUndefined();
    expect(key.check(text)?.keyId).toBe(id);
    expect(key.check(before)).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test("a scope allows one action in one domain, with * in all domains", () => {
  const grant = new HeldKey(stored()).check(text);
  const asked = [grant?.may("purchases", "write"), grant?.may("purchases", "read"), grant?.may("steps", "read")];
  expect(asked).toEqual([true, true, true]);
  expect([grant?.may("steps", "write"), grant?.may("*", "write"), grant?.may("", "read")]).toEqual([
    false,
    false,
    true,
  ]);
});

test("each new key is another one of the same length", () => {
  const texts = new Set(Array.from({ length: 100 }, () => newKeyText(newKeyId())));
  expect(texts.size).toBe(100);
  expect(new Set(Array.from(texts, ({ length }) => length))).toEqual(new Set([66]));
});
