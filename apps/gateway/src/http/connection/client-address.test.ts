import { expect, test } from "vitest";
import { addressesIn, clientOf } from "./client-address.ts";

test.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["fe80::1", "fe80:0:0:0"],
  ["", ""],
])("%s is the client %s", (address, client) => {
  expect(clientOf(address)).toBe(client);
});

test("addresses and networks", () => {
  const isTrusted = addressesIn(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);
  const trusted = ["10.200.0.1", "::ffff:10.0.0.1", "192.0.2.7", "2001:db8::1"];
  expect([...trusted, "11.0.0.1", "192.0.2.8", "2001:db9::1", "unknown", ""].filter(isTrusted)).toEqual(trusted);
});
