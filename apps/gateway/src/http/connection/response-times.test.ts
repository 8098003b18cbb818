import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { ResponseTimes } from "./response-times.ts";

const countOf = (text: string, labels: string): string | undefined =>
  text.split("\n").find((line) => line.startsWith(`tally_http_request_seconds_count{${labels}}`));

test("responses are counted by route and status, those without a route together", async () => {
  const times = new ResponseTimes();
  const route = times.route("POST", "/purchase/:storeID/customer/:custID");
  const ended = async (respond: (response: ServerResponse) => void): Promise<void> => {
    const server = createServer((_, response) => {
      response.takenAtMs = performance.now();
      response.on("close", () => times.ended(response));
      respond(response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await fetch(`http://127.0.0.1:${port}`).catch(() => undefined);
  };
  const routed = (status: number) => (response: ServerResponse) => {
    response.route = route;
    response.writeHead(status).end();
  };
  await ended(routed(201));
  await ended(routed(201));
  await ended(routed(503));
  await ended((response) => void response.writeHead(404).end());
  await ended((response) => {
    response.route = route;
    response.destroy();
  });
  await ended((response) => {
    response.route = null;
    response.end();
  });
  const text = times.text();
  const own = 'method="POST",route="/purchase/{storeID}/customer/{custID}",status=';
  expect(countOf(text, `${own}"201"`)).toMatch(/ 2$/);
  expect(countOf(text, `${own}"503"`)).toMatch(/ 1$/);
  expect(countOf(text, `${own}"none"`)).toMatch(/ 1$/);
  expect(countOf(text, 'method="any",route="none",status="404"')).toMatch(/ 1$/);
  expect(text.match(/_count\{/g)).toHaveLength(4);
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
