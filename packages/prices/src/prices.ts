/** Amazon's month. */
export const hoursPerMonth = 730;

/** The region of all prices. */
export const region = "us-east-1";

/**
 * Where a price comes from. `price-list`: a public table that its author read from the AWS Price List API on that day. `tables`: several independent
 * public tables agree, read on that day. `single`: one table only. `derived`: calculated from such prices as the text says. None was read from AWS
 * itself on that day: compare with the page before you rely on it.
 */
type Basis = "price-list" | "tables" | "single" | "derived";

export interface Price {
  readonly usd: number;
  readonly per: "hour" | "month" | "GB" | "GB-month" | "million";
  /** The page of AWS with the present price. */
  readonly page: string;
  readonly asOf: string;
  readonly basis: Basis;
}

const ec2 = "https://aws.amazon.com/ec2/pricing/on-demand/";
const ebs = "https://aws.amazon.com/ebs/pricing/";
const aurora = "https://aws.amazon.com/rds/aurora/pricing/";
const elastiCache = "https://aws.amazon.com/elasticache/pricing/";
const amazonMq = "https://aws.amazon.com/amazon-mq/pricing/";
const elb = "https://aws.amazon.com/elasticloadbalancing/pricing/";
const vpc = "https://aws.amazon.com/vpc/pricing/";
const cloudWatch = "https://aws.amazon.com/cloudwatch/pricing/";

const listed = { asOf: "2026-09-27", basis: "price-list" } as const;
const agreed = { asOf: "2026-11-22", basis: "tables" } as const;
const one = { asOf: "2026-11-22", basis: "single" } as const;
const derived = { asOf: "2026-11-22", basis: "derived" } as const;

/** On-demand prices in US dollars, without taxes, free tiers and discounts. */
export const prices = {
  "c7g.large": { usd: 0.0725, per: "hour", page: ec2, ...agreed },
  "c7g.xlarge": { usd: 0.145, per: "hour", page: ec2, ...agreed },
  "m7g.large": { usd: 0.0816, per: "hour", page: ec2, ...agreed },
  "EBS gp3": { usd: 0.08, per: "GB-month", page: ebs, ...agreed },
  "Aurora r7g.large": { usd: 0.276, per: "hour", page: aurora, ...agreed },
  "Aurora r7g.xlarge": { usd: 0.553, per: "hour", page: aurora, ...agreed },
  // I/O-Optimized: 1.3 times the price of an instance.
  "Aurora r7g.large, I/O-Optimized": { usd: 0.359, per: "hour", page: aurora, ...derived },
  "Aurora r7g.xlarge, I/O-Optimized": { usd: 0.719, per: "hour", page: aurora, ...derived },
  "Aurora storage": { usd: 0.1, per: "GB-month", page: aurora, ...listed },
  "Aurora storage, I/O-Optimized": { usd: 0.225, per: "GB-month", page: aurora, ...agreed },
  "Aurora I/O": { usd: 0.2, per: "million", page: aurora, ...listed },
  "cache.t4g.medium": { usd: 0.052, per: "hour", page: elastiCache, ...listed },
  // Valkey: 0.8 times the price for Redis OSS, 0.219.
  "cache.r7g.large": { usd: 0.1752, per: "hour", page: elastiCache, ...derived },
  "mq.m7g.large": { usd: 0.2734, per: "hour", page: amazonMq, ...one },
  "Amazon MQ storage": { usd: 0.1, per: "GB-month", page: amazonMq, ...one },
  "load balancer": { usd: 0.0225, per: "hour", page: elb, ...listed },
  "load balancer, 1 GB": { usd: 0.008, per: "GB", page: elb, ...listed },
  "NAT gateway": { usd: 0.045, per: "hour", page: vpc, ...listed },
  "NAT gateway, 1 GB": { usd: 0.045, per: "GB", page: vpc, ...listed },
  "public IPv4 address": { usd: 0.005, per: "hour", page: vpc, ...listed },
  "log, ingested": { usd: 0.5, per: "GB", page: cloudWatch, ...listed },
  "custom metric": { usd: 0.3, per: "month", page: cloudWatch, ...listed },
  "metric in an alarm": { usd: 0.1, per: "month", page: cloudWatch, ...listed },
  secret: { usd: 0.4, per: "month", page: "https://aws.amazon.com/secrets-manager/pricing/", ...listed },
  key: { usd: 1, per: "month", page: "https://aws.amazon.com/kms/pricing/", ...one },
} as const satisfies Readonly<Record<string, Price>>;

export type PriceName = keyof typeof prices;

/** The price of a type of instance or node. Throws for one that is not in the table: a cost without it would be too small. */
export function priceNamed(name: string): PriceName {
  if (isPrice(name)) return name;
  throw new Error(`packages/prices/src/prices.ts: expected a price of ${name}`);
}

function isPrice(name: string): name is PriceName {
  return Object.hasOwn(prices, name);
}
