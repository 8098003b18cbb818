import { expect, test, vi } from "vitest";
import { accept, serverOf } from "../load/start-load.fixture.ts";
import { startAgentProcess, token } from "./agent-process.fixture.ts";
import { startAgents } from "./start-agents.ts";

// Waits for the 10 s after which an agent counts as silent.
test("an agent that hangs fails the run, although its connection is open", { timeout: 120_000 }, async () => {
  const [agent, server] = [await startAgentProcess(), await serverOf(accept)];
  const plan = { domain: "purchases", connections: 2, seed: 1, spread: "wide", readShare: 0 } as const;
  const agents = { urls: [agent.url], token };
  const load = await startAgents({ ...plan, urls: [server.url], responseWithinMs: 10_000 }, 1, agents);
  const run = await load.prepare({ model: "closed", until: { name: "seconds", seconds: 600 } });
  const failed = run().catch(String);
  await vi.waitFor(async () => expect(await load.progress()).toBeGreaterThan(0), 60_000);
  agent.child.kill("SIGSTOP");
  expect(await failed).toContain(`agent ${agent.url}: sent nothing for 10 s`);
  await load.close();
});
