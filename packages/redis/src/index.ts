export { openRedis, type Redis, type RedisOptions, type Script } from "./open-redis.ts";
