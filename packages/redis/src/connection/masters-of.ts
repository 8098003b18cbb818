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
  const [name] = redis.slots[slotOf(key)] ?? [];
  return masters.find(({ options: { host, port } }) => `${host}:${port}` === name);
}

/** The ones that have keys of the same slot: of a cluster one, two while the slot moves, or none. */
export async function mastersWithSlotOf(redis: Redis, key: string): Promise<readonly Node[]> {
  const masters = mastersOf(redis);
  if (!(redis instanceof Cluster)) return masters;
  const counts = await Promise.all(masters.map((master) => master.cluster("COUNTKEYSINSLOT", slotOf(key))));
  return masters.filter((_, index) => Number(counts[index]) > 0);
}

/** The slots of a cluster: 0 to one less. */
export const slots = 16_384;

/** The slot of a key in a cluster: of its part in braces, or of all of it. */
export function slotOf(key: string): number {
  return new Command("get", [key]).getSlot();
}
