import { BlockList, isIP } from "node:net";
import type { Agents } from "../agents/start-agents.ts";
import { tokenOfAgents } from "../agents/token-of-agents.ts";
import { WrongUsage } from "../wrong-usage.ts";
import type { Flags } from "./flags.ts";

/** The agents of a run. Throws a WrongUsage where they could not reach its system. */
export function agentsFor({ agents, target }: Pick<Flags, "agents" | "target">): Agents | undefined {
  if (agents === undefined) return undefined;
  const twice = agents.find((url, index) => agents.indexOf(url) !== index);
  if (twice !== undefined) throw new WrongUsage(`--agents: ${twice} is named twice`);
  const far = agents.find((url) => !isLoopback(url));
  if (far !== undefined && (target === undefined || isLoopback(target)))
    throw new WrongUsage(
      `--agents: ${far} is on another machine, so it needs a --target that it reaches: a system that the bench starts is on loopback`,
    );
  return { urls: agents, token: tokenOfAgents() };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0) return host === "localhost";
  return loopback.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
}
