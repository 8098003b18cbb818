import { once } from "node:events";
import { startAgent } from "../agents/start-agent.ts";
import { tokenOfAgents } from "../agents/token-of-agents.ts";
import { reasonOf } from "@tally/runtime";
import { WrongUsage } from "../wrong-usage.ts";
import { say } from "./say.ts";

interface AgentFlags {
  readonly port: number;
  readonly host: string;
}

/** Serves a bench's load until it is interrupted. */
export async function runAgent({ port, host }: AgentFlags, signal: AbortSignal): Promise<void> {
  const token = tokenOfAgents();
  const agent = await startAgent({ port, host, token, say }).catch((error: unknown) => {
    throw new WrongUsage(`--port ${port}, --host ${host}: ${reasonOf(error)}`, { cause: error });
  });
  say(`agent at ${agent.url}`);
  if (!signal.aborted) await once(signal, "abort");
  await agent.close();
  say("agent stopped");
}
