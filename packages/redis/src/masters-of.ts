import { Cluster, Command, Redis as Node } from "ioredis";
import type { Redis } from "./open-redis.ts";

/** Connections to the servers that accept writes: the one server, or the masters of a cluster as it was seen up to 2 s ago. */
export function mastersOf(redis: Redis): readonly Node[] {
  if (redis instanceof Cluster) return redis.nodes("master");
  return redis instanceof Node ? [redis] : [];
}

/** The one of them that has a key. undefined: the slots of the cluster are not known yet, or no node serves the key's. */
export function masterOfKey(redis: Redis, key: string): Node | undefined {
  const masters = mastersOf(redis);
  if (!(redis instanceof Cluster)) return masters[0];
  const [name] = redis.slots[new Command("get", [key]).getSlot()] ?? [];
  return masters.find(({ options: { host, port } }) => `${host}:${port}` === name);
}
