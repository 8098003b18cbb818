import { expect, test } from "vitest";
import { tlsOf } from "./database-url.ts";

const url = "mysql://u:hunter2@db.example:3306/tally";

test("a URL without TLS parameters connects without TLS", () => {
  expect(tlsOf(url)).toEqual({ uri: url });
  expect(tlsOf(`${url}?ssl-mode=DISABLED`)).toEqual({ uri: url });
});

test("VERIFY_IDENTITY verifies authority and name", () => {
  expect(tlsOf(`${url}?ssl-mode=VERIFY_IDENTITY&charset=utf8mb4`)).toEqual({
    uri: `${url}?charset=utf8mb4`,
    ssl: { rejectUnauthorized: true, verifyIdentity: true, minVersion: "TLSv1.2" },
  });
  const withAuthority = tlsOf(`${url}?ssl-mode=VERIFY_IDENTITY&ssl-ca=${encodeURIComponent(import.meta.filename)}`);
  expect(String(withAuthority.ssl?.ca)).toContain("VERIFY_IDENTITY verifies authority and name");
});

test.each([
  ["?ssl-mode=REQUIRED", /expected VERIFY_IDENTITY or DISABLED, got "REQUIRED"/],
  ["?ssl-mode=verify_identity", /got "verify_identity"/],
  ["?ssl-ca=/ca.pem", /ssl-ca needs ssl-mode=VERIFY_IDENTITY/],
  ['?ssl={"rejectUnauthorized":false}', /write ssl-mode and ssl-ca instead of ssl/],
  ["?sslmode=VERIFY_IDENTITY", /write ssl-mode and ssl-ca instead of sslmode/],
  ["?useSSL=true", /instead of useSSL/],
  ["?tls=true", /instead of tls/],
  ["?ssl-mode=VERIFY_IDENTITY&ssl-ca=/gone.pem", /ENOENT.*\/gone\.pem/],
])("parameters that do not verify, or are misspelt, are rejected: %s", (query, reason) => {
  expect(() => tlsOf(url + query)).toThrow(reason);
  expect(() => tlsOf(url + query)).not.toThrow(/hunter2/);
});

test.each(["127.0.0.1", "[::1]"])("an address cannot be verified: %s", (host) => {
  expect(() => tlsOf(`mysql://u:hunter2@${host}/tally?ssl-mode=VERIFY_IDENTITY`)).toThrow(/needs the server's name/);
});
