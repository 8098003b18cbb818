import { mkdtemp, rm } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sample } from "../../kit/load.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { serverOf } from "../load/start-load.fixture.ts";
import { openAgent } from "./agent-client.ts";
import { AgentFailed } from "./agent-failed.ts";
import { nowMs } from "./agent-protocol.ts";
import type { OpenLoad } from "./agent-schemas.ts";

/* Servers that respond as an agent would, or not: another clock, a death at a bad moment, no agent at all. */

const load: OpenLoad = {
  plan: {
    urls: ["http://127.0.0.1:1"],
    domain: "purchases",
    connections: 1,
    seed: 1,
    spread: "wide",
    readShare: 0,
    responseWithinMs: 1000,
  },
  threads: 1,
  first: 0,
  total: 1,
};

const aheadMs = 3000;

/** An agent whose clock is ahead. It opens a session, sends these lines, and responds to other requests with `others`. */
const agentAhead =
  (lines: readonly (() => object)[], others: RequestListener): RequestListener =>
  (request, response) => {
    request.resume();
    if (request.url === "/clock") response.end(JSON.stringify({ nowMs: nowMs() + aheadMs }));
    else if (request.url === "/load" && request.method === "POST")
      for (const line of [() => ({ type: "open", session: "a" }), ...lines])
        response.write(`${JSON.stringify(line())}\n`);
    else others(request, response);
  };

async function openOn(listener: RequestListener, onSample: (sample: Sample) => void = () => undefined) {
  const { url } = await serverOf(listener);
  const agent = await openAgent(url, "a-token", load, onSample);
  onTestFinished(() => agent.close());
  return { url, agent };
}

test("times of samples are moved to the clock of the bench", async () => {
  const samples: Sample[] = [];
  const line = () => ({ type: "sample", sample: { id: "an-id", sentAt: nowMs() + aheadMs } });
  const before = nowMs();
  const { agent } = await openOn(
    agentAhead([line], (_request, response) => response.end()),
    (sample) => samples.push(sample),
  );
  await vi.waitFor(() => expect(samples).toHaveLength(1));
  // The offset is wrong by at most half of the round trip.
  const half = agent.clock.roundTripMs / 2;
  expect(samples[0]?.sentAt).toBeGreaterThanOrEqual(before - half);
  expect(samples[0]?.sentAt).toBeLessThanOrEqual(nowMs() + half);
});

test("an agent that dies while it sends the ids fails by name", async () => {
  const { url, agent } = await openOn(
    agentAhead([], (request, response) => {
      response.writeHead(200, { "content-length": 1000 });
      response.write("an-id\n", () => request.socket.destroy());
    }),
  );
  const directory = await mkdtemp(join(tmpdir(), "tally-agent-ids-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const failed: unknown = await agent.saveIds(join(directory, "ids")).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(AgentFailed);
  expect(failed).toHaveProperty(
    "message",
    expect.stringContaining(`agent ${url}: its connection ended before all ids`),
  );
});

test.each([
  ["no JSON", "<html>"],
  ["no time", "{}"],
  ["null", "null"],
])("a server whose clock is %s is no agent", async (_what, text) => {
  const opening = openOn((_request, response) => response.end(text));
  await expect(opening).rejects.toBeInstanceOf(AgentFailed);
  await expect(opening).rejects.toThrow("/clock: ");
});
