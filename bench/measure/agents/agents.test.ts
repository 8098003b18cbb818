import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFromCompressedBase64 as decode } from "hdr-histogram-js";
import { expect, onTestFinished, test, vi } from "vitest";
import { accept, loadOn, planOn, serverOf } from "../load/start-load.fixture.ts";
import { AgentFailed } from "./agent-failed.ts";
import { startAgentProcess, token } from "./agent-process.fixture.ts";
import { startAgents } from "./start-agents.ts";

/* Agents are separate processes, as a user starts them. */

vi.setConfig({ testTimeout: 120_000 });

/** A server that keeps what it was sent. */
async function keepingServer() {
  const bodies: string[] = [];
  const listener: RequestListener = (request, response) => {
    let body = `${request.method} ${request.url} `;
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      bodies.push(body);
      accept(request, response);
    });
  };
  const { url } = await serverOf(listener);
  return { url, bodies };
}

const open = (url: string, authorization?: string, body: object = {}) =>
  fetch(`${url}/load`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization !== undefined && { authorization }) },
    body: JSON.stringify(body),
  });

test("two agents send together what one process with two threads sends, and the result is the sum of theirs", async () => {
  const agents = await Promise.all([startAgentProcess(), startAgentProcess()]);
  const urls = agents.map(({ url }) => url);
  const [byAgents, byThreads] = [await keepingServer(), await keepingServer()];
  const load = await startAgents(planOn(byAgents.url, { connections: 5, readShare: 0.2 }), 1, { urls, token });
  onTestFinished(() => load.close());
  // So the machine report does not take them for other work.
  expect(load.processes).toEqual(agents.map(({ child }) => child.pid));
  const directory = await mkdtemp(join(tmpdir(), "tally-agents-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const idsFile = join(directory, "ids");
  const samples: string[] = [];
  load.onSample = ({ id }) => samples.push(id);
  const run = await load.prepare({ model: "closed", until: { name: "amount", amount: 1001 } });
  const result = await run({ ids: idsFile });

  const same = loadOn(byThreads.url, { connections: 5, readShare: 0.2 }, 2);
  await same.run({ model: "closed", until: { name: "amount", amount: 1001 } });
  expect(byAgents.bodies).toHaveLength(1001);
  expect(byAgents.bodies.toSorted()).toEqual(byThreads.bodies.toSorted());

  const { byAgents: seen } = result;
  expect(result).toMatchObject({ sent: 1001, accepted: expect.any(Number), withoutResponse: 0, connectionErrors: 0 });
  expect(result.accepted + result.read).toBe(1001);
  expect(seen?.shares.map(({ url, sent }) => [url, sent])).toEqual([
    [urls[0], 501],
    [urls[1], 500],
  ]);
  for (const name of ["sent", "accepted", "read"] as const)
    expect(seen?.shares.reduce((sum, one) => sum + one[name], 0)).toBe(result[name]);
  expect(decode(result.posts).totalCount).toBe(result.accepted);
  expect(decode(result.gets).totalCount).toBe(result.read);
  expect(result.perSecond.reduce((sum, { accepted, read }) => sum + accepted + read, 0)).toBe(1001);
  expect((await readFile(idsFile, "utf8")).trim().split("\n")).toHaveLength(result.accepted);
  expect(samples.length).toBeGreaterThan(0);

  // The same session runs further phases.
  const again = await load.prepare({ model: "open", until: { name: "amount", amount: 200 }, perSecond: 400 });
  expect(await again()).toMatchObject({ sent: 200, withoutResponse: 0 });
});

test("an agent that is killed in the middle fails the run, by name, and the other is free again", async () => {
  const [first, second] = await Promise.all([startAgentProcess(), startAgentProcess()]);
  const server = await keepingServer();
  const load = await startAgents(planOn(server.url), 1, { urls: [first.url, second.url], token });
  const run = await load.prepare({ model: "closed", until: { name: "seconds", seconds: 600 } });
  const failed = run().then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.waitFor(() => expect(server.bodies.length).toBeGreaterThan(100), 30_000);
  await second.kill();
  expect(await failed).toBeInstanceOf(AgentFailed);
  await expect(load.prepare({ model: "fill", amount: 10 })).rejects.toThrow(
    `the run has failed, and has no report: agent ${second.url}: its connection ended after`,
  );
  await load.close();
  const next = await startAgents(planOn(server.url), 1, { urls: [first.url], token });
  await (
    await next.prepare({ model: "fill", amount: 10 })
  )();
  await next.close();
});

test("an agent has one load at a time, and is free when the bench of that load is gone", async () => {
  const agent = await startAgentProcess();
  const server = await keepingServer();
  const gone = new AbortController();
  const response = await fetch(`${agent.url}/load`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ plan: planOn(server.url), threads: 1, first: 0, total: 1 }),
    signal: gone.signal,
  });
  expect(response.status).toBe(200);
  const agents = { urls: [agent.url], token };
  await expect(startAgents(planOn(server.url), 1, agents)).rejects.toThrow("responds with 409");
  gone.abort();
  await vi.waitFor(async () => (await startAgents(planOn(server.url), 1, agents)).close(), 30_000);
});

test("every request needs the token, bodies are bounded, and a wrong load is rejected by its field", async () => {
  const { url } = await startAgentProcess();
  for (const path of ["/clock", "/load/ids", "/none"])
    expect((await fetch(url + path, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
  for (const authorization of [undefined, "", `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, token])
    expect((await open(url, authorization)).status).toBe(401);
  await expect(startAgents(planOn(url), 1, { urls: [url], token: "another-token-of-a-test" })).rejects.toThrow(
    `agent ${url}: responds with 401: {"message":"expected the token of this agent"}`,
  );
  const own = `Bearer ${token}`;
  expect((await open(url, own, { text: "x".repeat(70_000) })).status).toBe(413);
  const rejected = await open(url, own, {
    plan: { ...planOn("http://127.0.0.1:1"), connections: 0 },
    threads: 1,
    first: 0,
    total: 1,
  });
  expect([rejected.status, await rejected.json()]).toEqual([
    400,
    { message: "plan.connections: expected an integer from 1 to 100000, got 0" },
  ]);
  const other = await fetch(`${url}/load/run`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: own, "tally-bench-session": "another" },
    body: '{"atMs":0,"ids":false}',
  });
  expect(other.status).toBe(404);
});

test("an agent that cannot be reached fails the run before it begins", async () => {
  const agent = await startAgentProcess();
  await agent.kill();
  await expect(startAgents(planOn(agent.url), 1, { urls: [agent.url], token })).rejects.toThrow("cannot be reached");
});
