/** The name of the stack and of its servers. */
export const system = "tally";

/**
 * For 5,000 events a second at the busiest moment: 0.7 cores of gateway, less than 0.4 of any other tier. Each tier has
 * the two processes that a failure needs, not more. Cores = µs × peak / 1,000,000 / 0.3, with the highest µs of a tier
 * in docs/scale.md, for Redis 34 with many shards: half of the use that it assumes, because an instance may do half as
 * much as a core of the measured machine. docs/deploy-aws.md has sizes for 50,000 events a second.
 */
export const sizes = {
  /** The first two numbers of each address in the VPC. */
  network: "10.20",
  natGateways: 1,
  /** They run the apps. Each has one network interface for itself and two for tasks. */
  instances: { type: "c7g.large", min: 3, max: 8 },
  /** Tasks of each app: `cpu` in 1/1024 of a core, memory in MiB. */
  gateway: { tasksMin: 2, tasksMax: 6, cpu: 768, memory: 1600 },
  writer: { tasksMin: 2, tasksMax: 4, cpu: 768, memory: 1024 },
  ranker: { tasksMin: 2, tasksMax: 4, cpu: 512, memory: 1024 },
  /** One writer instance, and readers. */
  database: { instance: "r7g.large", readers: 1 },
  /** A node group is a master and a replica. `rankingShards`: hash slots of each domain, spread over node groups. */
  cache: { node: "cache.t4g.medium", nodeGroups: 1, rankingShards: 1 },
  /** Each of the three nodes of Amazon MQ. */
  brokerInstance: "mq.m7g.large",
} as const;
