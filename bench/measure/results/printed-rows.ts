import type { DesignName, Durability } from "../designs/designs.ts";

/** What of ours runs a row's load. */
export interface Arrangement {
  readonly design: DesignName;
  readonly durability: Durability;
  readonly gateways: number;
}

/*
 * Every row that the sources print: its id, unique in its source; its load, the description of the SourceRun that sends
 * the same; its server, as the source names it; requests a second, GETs included; p99 in ms (of POST and GET together in
 * S1, of POST elsewhere); and the arrangement of ours that compares with it, or why nothing does. null: not printed.
 */

type Row = readonly [
  id: string,
  load: string,
  server: string,
  perSecond: number | null,
  p99: number | null,
  beside: Arrangement | string,
];

export type PrintedRow = ReturnType<typeof rows>[number];

const rows = (all: readonly Row[]) =>
  all.map(([id, load, server, perSecond, p99Ms, beside]) => ({ id, load, server, perSecond, p99Ms, beside }));

/** tally as it is, with one gateway. */
export const asItIs: Arrangement = { design: "batched", durability: "confirmed", gateways: 1 };
const balanced: Arrangement = { design: "balanced", durability: "confirmed", gateways: 2 };
const synchronous: Arrangement = { design: "synchronous", durability: "confirmed", gateways: 1 };
const balancedSynchronous: Arrangement = { design: "balanced-synchronous", durability: "confirmed", gateways: 2 };
const fourSynchronous: Arrangement = { design: "balanced-synchronous", durability: "confirmed", gateways: 4 };
const bare: Arrangement = { design: "bare", durability: "confirmed", gateways: 1 };
const oneDatabase: Arrangement = { design: "primary-reads", durability: "confirmed", gateways: 1 };
const inMemory: Arrangement = { design: "batched", durability: "transient", gateways: 1 };
const persistent: Arrangement = { design: "batched", durability: "persistent", gateways: 1 };
const balancedInMemory: Arrangement = { design: "balanced", durability: "transient", gateways: 2 };
const balancedPersistent: Arrangement = { design: "balanced", durability: "persistent", gateways: 2 };

const a2 = "A2: database, no queue, single server";
const a2Balanced = "A2: database, no queue, 4 servers, load balancer";

// Why a row has nothing of ours beside it.
const stub =
  "The source's stub responds to each GET with a fixed text. Our gateway looks the album up, so a gateway without storage has no successful GET.";
const sharded = "It spread the batches over several queues, which gained nothing here.";
const hosted = "Its database is DynamoDB, a service of AWS that cannot run here.";
const distant =
  "The client was on another network, so the row measures the distance too; our client runs beside the servers, as in the row above.";
const python = "The row compares a server in Python with one in Java; tally has no gateway in another language.";
const twice =
  "It is the run of the row with the client in the same data centre, printed twice: the same start, end and figures, and the name of a host, not of a balancer.";
const timedOut = "The source prints no figures, only that requests timed out.";
const larger = "It is another machine, and the source does not name its load.";

export const printedRows: Readonly<Record<string, readonly PrintedRow[]>> = {
  /** Albums. Rows with RabbitMQ are albums and reviews. */
  S0: rows([
    ["single-10", "10 groups", "single server", 204, 6678, synchronous],
    ["single-20", "20 groups", "single server", 856, 5648, synchronous],
    ["single-30", "30 groups", "single server", 436, 7966, synchronous],
    ["two-10", "10 groups", "2 servers, load balancer", 1886, 83, balancedSynchronous],
    ["two-20", "20 groups", "2 servers, load balancer", 2580, 187, balancedSynchronous],
    ["two-30", "30 groups", "2 servers, load balancer", 2352, 618, balancedSynchronous],
    ["tuned-10", "10 groups", "optimized", 2127, 71, balancedSynchronous],
    ["tuned-20", "20 groups", "optimized", 2580, 177, balancedSynchronous],
    ["tuned-30", "30 groups", "optimized", 2255, 590, balancedSynchronous],
    ["queue-10", "10 groups, albums and reviews", "single server with RabbitMQ", 1250, 69, asItIs],
    ["queue-20", "20 groups, albums and reviews", "single server with RabbitMQ", 1509, 76, asItIs],
    ["queue-30", "30 groups, albums and reviews", "single server with RabbitMQ", 1411, 248, asItIs],
    ["stub-go", "30 groups", "stub without storage, Go", 3351, null, stub],
    ["stub-java", "30 groups", "stub without storage, Java", 2843, null, stub],
  ]),
  /** Steps. */
  S1: rows([
    ["64-default", "64 threads", "default", 531.16, 55, asItIs],
    ["32", "32 threads", "no load balancer", 649.77, 23, asItIs],
    ["32-map", "32 threads", "ConcurrentHashMap", 560.59, 26, asItIs],
    ["64", "64 threads", "no load balancer", 811.64, 54, asItIs],
    ["128", "128 threads", "no load balancer", 886.69, 154, asItIs],
    ["256-ec2", "256 threads", "no load balancer, client in the same data centre", 1256.27, 168, asItIs],
    ["256-local", "256 threads", "no load balancer, client on the author's computer", 907.24, 263, distant],
    ["128-flask", "128 threads", "Flask with gunicorn, 4 workers with 4 threads", 691.8, 60, python],
    ["32-balancer", "32 threads", "load balancer", 597.59, 42, balanced],
    ["64-balancer", "64 threads", "load balancer", 593.05, 98, balanced],
    ["128-balancer", "128 threads", "load balancer", 866.4, 74, balanced],
    ["256-balancer", "256 threads", "load balancer", 1256.27, 168, twice],
  ]),
  /** Swipes, 500,000 POSTs from 900 connections. */
  S2: rows([
    ["bare-client1", "900 threads", "servlet, first client", 9082.157, null, bare],
    ["bare-client2", "900 threads", "servlet, client that keeps every latency", 8896.8, 312, bare],
    ["bare-spring", "900 threads", "Spring without storage", 2929.34, 605, bare],
    ["queue-single", "900 threads", "queue, one server", 4550, null, asItIs],
    ["queue-two", "900 threads", "queue, 2 instances", 6275, null, balanced],
    ["queue-mysql", "900 threads and readers", "queue and MySQL", 7214.89, 360.3, asItIs],
  ]),
  /** Lift rides. A2 stores before it responds, A3 has a queue and one database, A4 a queue and two databases. */
  S3: rows([
    ["a2-256", "256 threads", "A2: database, no queue", 165, 2594, synchronous],
    ["a3-256", "256 threads", "A3: queue, one database", 1155, 5021, oneDatabase],
    ["a3-512", "512 threads", "A3: queue, one database", 1325, 6091, oneDatabase],
    ["a4-256", "256 threads", "A4: queue, two databases", 1579, 247, asItIs],
    ["a4-512", "512 threads", "A4: queue, two databases", 1638, 394, asItIs],
    ["a3-report-256", "256 threads", "A3's own report, no load balancer", 1513, null, oneDatabase],
    ["a3-report-512", "512 threads", "A3's own report, no load balancer", 2213, null, oneDatabase],
    ["a3-report-256-balancer", "256 threads", "A3's own report, load balancer", 1590, null, balanced],
    ["a3-report-512-balancer", "512 threads", "A3's own report, load balancer", 2319, null, balanced],
  ]),
  /** Purchases. A1 stores nothing, A2 stores before it responds, A3 has a queue, A4 a sharded broker and another
   * database. */
  S4: rows([
    ["transient-single-256", "256 stores", "queue in memory, single server", 4293, 299, inMemory],
    ["transient-single-512", "512 stores", "queue in memory, single server", 4488, 392, inMemory],
    ["persistent-single-256", "256 stores", "persistent queue, single server", 2798, 689, persistent],
    ["persistent-single-512", "512 stores", "persistent queue, single server", 2804, 992, persistent],
    ["transient-balancer-256", "256 stores", "queue in memory, load balancer", 4189, 246, balancedInMemory],
    ["transient-balancer-512", "512 stores", "queue in memory, load balancer", 4333, 363, balancedInMemory],
    ["persistent-balancer-256", "256 stores", "persistent queue, load balancer", 2753, 599, balancedPersistent],
    ["persistent-balancer-512", "512 stores", "persistent queue, load balancer", 2781, 936, balancedPersistent],
    ["a2-single-32", "32 stores", a2, 2618, null, synchronous],
    ["a2-single-64", "64 stores", a2, 3031, null, synchronous],
    ["a2-single-128", "128 stores", a2, 3200, null, synchronous],
    ["a2-single-256", "256 stores", a2, 2953, null, synchronous],
    ["a2-balancer-32", "32 stores", a2Balanced, 2400, null, fourSynchronous],
    ["a2-balancer-64", "64 stores", a2Balanced, 3388, null, fourSynchronous],
    ["a2-balancer-128", "128 stores", a2Balanced, 4734, null, fourSynchronous],
    ["a2-balancer-256", "256 stores", a2Balanced, 4766, null, fourSynchronous],
    ["a2-balancer-512", "512 stores", a2Balanced, 4954, null, fourSynchronous],
    ["a2-balancer-1024", "1024 stores", a2Balanced, 4201, null, fourSynchronous],
    ["a1-32", "32 stores, 60 an hour", "A1: stub without storage", 2160, null, bare],
    ["a1-64", "64 stores, 60 an hour", "A1: stub without storage", 2658, null, bare],
    ["a1-128", "128 stores, 60 an hour", "A1: stub without storage", 3141, null, bare],
    ["a1-256", "256 stores, 60 an hour", "A1: stub without storage", 3456, null, bare],
    ["a1-512", "512 stores, 60 an hour", "A1: stub without storage", 3736, null, bare],
    ["a1-1024", "1024 stores, 60 an hour", "A1: stub without storage", 2957, null, bare],
    ["a1-2048", "2048 stores, 60 an hour", "A1: stub without storage", 2530, null, bare],
    ["a1-4096", "4096 stores, 60 an hour", "A1: stub without storage", null, null, timedOut],
    ["a4-256", "256 stores", "A4: sharded queue", 5196, null, sharded],
    ["a4-512", "512 stores", "A4: sharded queue", 4972, null, sharded],
    ["a4-1024", "1024 stores", "A4: sharded queue", 4999, null, sharded],
    ["a4-dynamodb-256", "256 stores", "A4: sharded queue, DynamoDB", 5276, null, hosted],
    ["a4-dynamodb-512", "512 stores", "A4: sharded queue, DynamoDB", 5857, null, hosted],
    ["a4-dynamodb-1024", "1024 stores", "A4: sharded queue, DynamoDB", 6542, null, hosted],
    ["a4-large", "not printed", "A4 on larger machines (t2.xlarge)", 20000, null, larger],
  ]),
};

/** The loads that run with the scaling rule of their source, for which it prints no figures. */
export const scaledLoads: Readonly<Record<string, readonly string[]>> = {
  S1: ["32 threads", "64 threads", "128 threads", "256 threads"],
};
export const scaled: Arrangement = { design: "scaled", durability: "confirmed", gateways: 4 };

/** Pairs of rows that differ by one change: the ids of the row with it and of the one without it. */
export const changes: Readonly<Record<string, readonly (readonly [name: string, of: string, against: string])[]>> = {
  S0: [
    ["two servers instead of one, 10 groups", "two-10", "single-10"],
    ["two servers instead of one, 30 groups", "two-30", "single-30"],
    ["20 groups instead of 10, two servers", "two-20", "two-10"],
    ["20 groups instead of 10, with a queue", "queue-20", "queue-10"],
  ],
  S1: [
    ["64 threads instead of 32", "64", "32"],
    ["128 threads instead of 64", "128", "64"],
    ["256 threads instead of 128; the source also moved the client", "256-ec2", "128"],
    ["load balancer, 32 threads", "32-balancer", "32"],
    ["load balancer, 128 threads", "128-balancer", "128"],
  ],
  S2: [
    ["Spring instead of a servlet", "bare-spring", "bare-client2"],
    ["queue and MySQL instead of no storage", "queue-mysql", "bare-client2"],
    ["two servers with a queue instead of one", "queue-two", "queue-single"],
  ],
  S3: [
    ["a queue, 256 threads", "a3-256", "a2-256"],
    ["two databases, 256 threads", "a4-256", "a3-256"],
    ["two databases, 512 threads", "a4-512", "a3-512"],
    ["load balancer, 256 threads", "a3-report-256-balancer", "a3-report-256"],
    ["512 threads instead of 256, two databases", "a4-512", "a4-256"],
  ],
  S4: [
    ["persistent instead of in memory, 256 stores", "persistent-single-256", "transient-single-256"],
    ["persistent instead of in memory, 512 stores", "persistent-single-512", "transient-single-512"],
    ["load balancer, in memory, 256 stores", "transient-balancer-256", "transient-single-256"],
    ["queue in memory instead of no queue, 256 stores", "transient-single-256", "a2-single-256"],
    ["load balancer without a queue, 32 stores", "a2-balancer-32", "a2-single-32"],
    ["load balancer without a queue, 256 stores", "a2-balancer-256", "a2-single-256"],
  ],
};
