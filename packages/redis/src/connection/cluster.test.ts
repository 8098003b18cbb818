import { expect, test } from "vitest";
import { clusterAddressOf, isCluster } from "./cluster.ts";
import { tls } from "./redis.ts";

test("the URL of a single server names no cluster", () => {
  expect(clusterAddressOf("redis://u:p@h:1")).toBeUndefined();
  expect(isCluster("rediss://u:p@h:1")).toBe(false);
});

test("the nodes of a cluster, with the account of the first", () => {
  expect(clusterAddressOf("redis+cluster://u:p%2Cw@a:7000, redis+cluster://b,redis+cluster://[::1]:7002/0,")).toEqual({
    nodes: [
      { host: "a", port: 7000 },
      { host: "b", port: 6379 },
      { host: "::1", port: 7002 },
    ],
    node: { username: "u", password: "p,w" },
  });
  expect(clusterAddressOf("rediss+cluster://:secret@h")).toEqual({
    nodes: [{ host: "h", port: 6379 }],
    node: { password: "secret", tls },
  });
  expect(isCluster("rediss+cluster://h")).toBe(true);
});
