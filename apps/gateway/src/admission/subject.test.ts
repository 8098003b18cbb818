import { expect, test } from "vitest";
import { subjectOfAddress } from "./subject.ts";

test("an IPv4 address is a subject, also where a socket shows it as IPv6", () => {
  expect(subjectOfAddress("203.0.113.7")).toBe("203.0.113.7");
  expect(subjectOfAddress("::ffff:203.0.113.7")).toBe("203.0.113.7");
});

test("all addresses of an IPv6 network of 64 bits are one subject, however they are written", () => {
  const same = ["2001:db8:1:2::", "2001:db8:1:2::5", "2001:0db8:1:2:3:4:5:6", "2001:DB8:1:2:ffff::1"];
  expect(new Set(same.map(subjectOfAddress))).toEqual(new Set(["2001:db8:1:2::/64"]));
  expect(subjectOfAddress("2001:db8::1:2:3:4:5")).toBe("2001:db8:0:1::/64");
  expect(subjectOfAddress("::1")).toBe("0:0:0:0::/64");
  expect(subjectOfAddress("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
});
