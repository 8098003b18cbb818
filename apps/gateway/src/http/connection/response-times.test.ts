import type { ServerResponse } from "node:http";
import { listen } from "@tally/local/at-end";
import { expect, test } from "vitest";
import { ResponseTimes } from "./response-times.ts";

// test/metrics.test.ts has responses by route and status, and those without a route.
test("a client that left before its response counts as status none, and a stream does not count", async () => {
  const times = new ResponseTimes();
  const route = times.route("POST", "/purchase/:storeID/customer/:custID");
  const ended = async (respond: (response: ServerResponse) => void): Promise<void> => {
    const { url } = await listen((_, response) => {
      response.takenAtMs = performance.now();
      response.on("close", () => times.ended(response));
      respond(response);
    });
    await fetch(url).catch(() => undefined);
  };
  await ended((response) => void Object.assign(response, { route }).destroy());
  await ended((response) => void Object.assign(response, { route: null }).end());
  const counts = times.text().match(/(?<=_count\{).*/g);
  expect(counts).toEqual(['method="POST",route="/purchase/{storeID}/customer/{custID}",status="none"} 1']);
});

test("a time is in the first bucket whose bound it does not exceed", () => {
  const times = new ResponseTimes();
  const route = times.route("GET", "/a");
  for (const ms of [0.4, 1, 1.1, 30_000, 31_000]) route.add(200, ms);
  expect(times.text()).toContain("\n# TYPE tally_http_request_seconds histogram\n");
  expect(times.text()).toContain('_sum{method="GET",route="/a",status="200"} 61.0025\n');
  const upTo = Array.from(times.text().matchAll(/le="([^"]+)"\} (\d+)/g), ([, bound, count]) => `${bound}: ${count}`);
  expect(upTo.slice(0, 3)).toEqual(["0.001: 2", "0.002: 3", "0.005: 3"]);
  expect(upTo.slice(-2)).toEqual(["30: 4", "+Inf: 5"]);
});
