export { isCluster } from "./cluster-address.ts";
export { masterOfKey, mastersOf, mastersWithSlotOf, slotOf, slots } from "./masters-of.ts";
export { openRedis, type Redis, type RedisOptions } from "./open-redis.ts";
