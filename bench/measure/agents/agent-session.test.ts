import { expect, onTestFinished, test, vi } from "vitest";
import { accept, serverOf } from "../load/start-load.fixture.ts";
import { nowMs, type AgentLine } from "./agent-protocol.ts";
import { openSession } from "./agent-session.ts";

test("a start that is further away than a minute fails instead of beginning early", async () => {
  const { url } = await serverOf(accept);
  const plan = { urls: [url], domain: "purchases", connections: 1, seed: 1, spread: "wide", readShare: 0 } as const;
  const lines: AgentLine[] = [];
  const session = await openSession(
    { plan: { ...plan, urls: [url], responseWithinMs: 1000 }, threads: 1, first: 0, total: 1 },
    (line) => lines.push(line),
  );
  onTestFinished(() => session.close());
  session.prepare({ phase: { model: "fill", amount: 1 } });
  await vi.waitFor(() => expect(lines).toContainEqual({ type: "prepared" }), 30_000);
  session.run({ atMs: nowMs() + 90_000, ids: false });
  await vi.waitFor(() =>
    expect(lines).toContainEqual({ type: "failed", message: "the start is 90 s away, expected at most 60 s" }),
  );
});
