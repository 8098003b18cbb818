import { expect, test } from "vitest";
import { trustedProxies, trustProxy } from "./trust-proxy.ts";

const { read } = trustProxy("TRUST_PROXY", { default: "", says: "" });

test("a number of proxies, or addresses and networks, and nothing else", () => {
  for (const text of ["1", "12", "10.0.0.1", "10.0.0.0/8, loopback", "fd00::/8,::1", "uniquelocal"]) {
    expect([text, read(text)]).toEqual([text, { ok: true, value: text }]);
  }
  for (const text of [
    "true",
    "-1",
    "1000",
    "10.0.0.0/33",
    "10.0.0.0/0",
    "proxy.example",
    "10.0.0.1,",
    "10.0.0.0/8/9",
  ]) {
    expect([text, read(text).ok]).toEqual([text, false]);
  }
});

test("a number trusts the connections of as many proxies, counted from the gateway", () => {
  const trusts = trustedProxies("2");
  if (typeof trusts !== "function") expect.fail("expected a function");
  expect([0, 1, 2, 3].map((hop) => trusts("10.0.0.1", hop))).toEqual([true, true, false, false]);
  expect(trustedProxies("")).toBe(false);
});
