/** Tasks of one app. `cpu` in 1/1024 of a core, memory in MiB. */
export interface AppSize {
  readonly tasksMin: number;
  readonly tasksMax: number;
  readonly cpu: number;
  readonly memory: number;
}

export interface Profile {
  /** The stack is tally-NAME. */
  readonly name: string;
  /** Events a second of the busiest moment that the sizes are calculated for. */
  readonly peakEventsPerSecond: number;
  /** The network of the VPC; the first two numbers of each address in it. */
  readonly network: `${number}.${number}`;
  readonly natGateways: 1 | 2;
  /** The EC2 instances that run the apps. An instance has one network interface for itself and one for each task. */
  readonly instances: { readonly type: string; readonly min: number; readonly max: number };
  readonly gateway: AppSize;
  readonly writer: AppSize;
  readonly ranker: AppSize;
  /** One writer instance and `readers`. I/O-Optimized has no price per I/O. */
  readonly database: {
    readonly instance: string;
    readonly readers: number;
    readonly ioOptimized: boolean;
  };
  /** Each node group is a master and a replica. `rankingShards` are the hash slots of each domain, spread over the node
   * groups. */
  readonly cache: { readonly node: string; readonly nodeGroups: number; readonly rankingShards: number };
  /** The instance type of each of the three nodes of Amazon MQ. */
  readonly brokerInstance: string;
  readonly logDays: 7 | 30 | 90;
}

/*
 * Sizes follow docs/performance.md: CPU time of a purchase, upper end of its spread: gateway 42 µs, writer 9, ranker 3,
 * broker 8, database 19 (both instances), Redis 20, or 34 with many shards. Cores = µs × peak / 1,000,000 / 0.3: half
 * of what docs/scale.md uses, because an instance may do half as much as a core of the measured machine.
 */

/** 5,000 events a second: 0.7 cores of gateway, less than 0.4 of any other tier. Each tier has the two processes that a
 * failure needs, not more. */
const small: Profile = {
  name: "small",
  peakEventsPerSecond: 5000,
  network: "10.20",
  natGateways: 1,
  // Two tasks on each: 3 network interfaces.
  instances: { type: "c7g.large", min: 3, max: 8 },
  gateway: { tasksMin: 2, tasksMax: 6, cpu: 768, memory: 1408 },
  writer: { tasksMin: 2, tasksMax: 4, cpu: 768, memory: 1024 },
  ranker: { tasksMin: 2, tasksMax: 4, cpu: 512, memory: 1024 },
  database: { instance: "r7g.large", readers: 1, ioOptimized: false },
  cache: { node: "cache.t4g.medium", nodeGroups: 1, rankingShards: 1 },
  brokerInstance: "mq.m7g.large",
  logDays: 30,
};

/** 50,000 events a second: 7 cores of gateway, 5.7 of Redis. The busiest of 5 masters has 3 of 14 shards: 0.36 of its
 * core. */
const large: Profile = {
  name: "large",
  peakEventsPerSecond: 50_000,
  network: "10.21",
  natGateways: 2,
  // Three tasks on each: 4 network interfaces, 4 cores.
  instances: { type: "c7g.xlarge", min: 5, max: 16 },
  gateway: { tasksMin: 7, tasksMax: 24, cpu: 1152, memory: 2048 },
  writer: { tasksMin: 3, tasksMax: 12, cpu: 1024, memory: 1536 },
  ranker: { tasksMin: 2, tasksMax: 8, cpu: 1024, memory: 1024 },
  database: { instance: "r7g.xlarge", readers: 1, ioOptimized: true },
  cache: { node: "cache.r7g.large", nodeGroups: 5, rankingShards: 14 },
  brokerInstance: "mq.m7g.large",
  logDays: 30,
};

export const profiles: readonly Profile[] = [small, large];
