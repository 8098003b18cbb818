import { accounts } from "../data/add-accounts.ts";
import type { Profile } from "../profiles.ts";
import { nodeMetrics } from "../watch/app-metrics.ts";
import { hoursPerMonth, priceNamed, prices, type PriceName } from "@tally/prices";

interface CostLine {
  readonly tier: string;
  readonly price: PriceName;
  /** Instances, GB, metrics: what the price is for. */
  readonly count: number;
  readonly usdPerMonth: number;
}

export interface Cost {
  readonly lines: readonly CostLine[];
  readonly usdPerMonth: number;
  /** What a million events adds, beside the growth of the storage. */
  readonly usdPerMillionEvents: number;
}

// Estimates, not measured on AWS: a purchase and its response have 0.9 kB; its row writes 1 kB of log, which Aurora counts in units of 4 kB.
const gbPerMillionEvents = 0.9;
const ioPerEvent = 0.25;

// Images and metrics through the NAT gateway, logs of all apps, and what the agent beside each gateway sends in the embedded metric format.
const natGb = 50;
const logGb = 5;
const metricLogGbPerGateway = 1;
// One for each state of dead letters and each server; RabbitMQ on EC2 has two more.
const customMetrics = 9;
// In all alarms, those of scaling too; two alarms of Valkey have one metric for each node.
const alarmMetrics = 26;

/** What a profile costs in a month with the fewest instances and tasks, at the prices of the table. Scaling out adds instances. */
export function costOf(profile: Profile): Cost {
  const { instances, database, cache, broker, natGateways, gateway } = profile;
  const optimized = database.ioOptimized ? ", I/O-Optimized" : "";
  const nodes = cache.nodeGroups * 2;
  const lines = [
    line("apps", priceNamed(instances.type), instances.min),
    line("apps", "EBS gp3", instances.min * 30),
    line("database", priceNamed(`Aurora ${database.instance}${optimized}`), 1 + database.readers),
    line("database", priceNamed(`Aurora storage${optimized}`), database.storageGb),
    line("rankings", priceNamed(cache.node), nodes),
    line("broker", priceNamed(broker.instance), 3),
    broker.kind === "ec2"
      ? line("broker", "EBS gp3", 3 * (20 + broker.storageGb))
      : line("broker", "Amazon MQ storage", broker.storageGb),
    line("network", "load balancer", 1),
    line("network", "NAT gateway", natGateways),
    line("network", "NAT gateway, 1 GB", natGb),
    line("network", "public IPv4 address", 2 + natGateways),
    line("watching", "log, ingested", logGb + metricLogGbPerGateway * gateway.tasksMin),
    line("watching", "custom metric", customMetrics + (broker.kind === "ec2" ? nodeMetrics.length : 0)),
    line("watching", "metric in an alarm", alarmMetrics + 2 * nodes),
    // The passwords, and the addresses for each app, migrate and the CLI; the EC2 broker has two more.
    line("secrets", "secret", accounts.length + 5 + (broker.kind === "ec2" ? 2 : 0)),
    line("secrets", "key", 1),
  ];
  const io = database.ioOptimized ? 0 : ioPerEvent * prices["Aurora I/O"].usd;
  return {
    lines,
    usdPerMonth: lines.reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0),
    usdPerMillionEvents: gbPerMillionEvents * prices["load balancer, 1 GB"].usd + io,
  };
}

function line(tier: string, price: PriceName, count: number): CostLine {
  const { usd, per } = prices[price];
  return { tier, price, count, usdPerMonth: usd * count * (per === "hour" ? hoursPerMonth : 1) };
}
