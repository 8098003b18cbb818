export { openRedis, type Redis } from "./open-redis.ts";
