import type { Durability } from "../designs/designs.ts";
import { asItIs, balanced, type Arrangement, type PrintedRow } from "./printed-row.ts";

const synchronous = { ...asItIs, design: "synchronous" } as const;
const balancedSynchronous = { ...balanced, design: "balanced-synchronous", gateways: 4 } as const;
const bare = { ...asItIs, design: "bare" } as const;

/** Mean, median, p99 and maximum in ms. */
type Four = readonly [mean: number, p50: number, p99: number, max: number];

const snapshots: Readonly<Record<Durability, string>> = {
  transient:
    "A view of RabbitMQ shows 4,994 publishes and 7,895 acknowledgements a second, and 91 unacknowledged messages. Other views do not name their run: 4,637 a second in each queue, with 51 and 71 unacknowledged messages; as few as 19 messages.",
  persistent: "Views of RabbitMQ show 2,650 publishes, 5,685 acknowledgements and 5,352 writes to disk a second.",
  confirmed: "",
};

/** The source's final server: a queue in memory or on disk, one server or several behind a load balancer. */
function queued(stores: number, durability: Durability, to: Arrangement, wall: number, rate: number, of: Four) {
  const [mean, p50, p99, max] = of;
  const isSingle = to.gateways === 1;
  const kind = durability === "persistent" ? "persistent queue" : "queue in memory";
  return {
    id: `${durability}-${isSingle ? "single" : "balancer"}-${stores}`,
    load: `${stores} stores`,
    server: `${kind}, ${isSingle ? "single server" : "load balancer"}`,
    wallSeconds: wall,
    perSecond: rate,
    latencies: [{ of: "POST", mean, p50, p99, max }],
    notes: [
      ...(isSingle && stores === 256 ? [snapshots[durability]] : []),
      ...(isSingle ? said(durability, stores) : []),
    ],
    beside: { ...to, durability },
  } as const satisfies PrintedRow;
}

/** What the source concludes. */
function said(durability: Durability, stores: number): readonly string[] {
  if (durability !== "persistent") return [];
  return [`The source says: ${stores === 256 ? "34.82" : "37.52"} % less than in memory.`];
}

/** A row of which only the rate is printed. */
function rated(id: string, load: string, server: string, perSecond: number, beside: PrintedRow["beside"]): PrintedRow {
  return { id, load, server, perSecond, latencies: [], notes: [], beside };
}

const before = [
  [32, 2618, 2400],
  [64, 3031, 3388],
  [128, 3200, 4734],
  [256, 2953, 4766],
] as const;
const synchronousSingle = "A2: database, no queue, single server";
const synchronousBalancer = "A2: database, no queue, 4 servers, load balancer";
/** Its wall time and what the source concludes, where it prints them. */
const printedOfA2: Readonly<Record<string, Partial<PrintedRow>>> = {
  "a2-single-256": {
    wallSeconds: 234,
    notes: ["The source says: with the queue in memory 45.38 % more."],
  },
  "a2-balancer-256": { wallSeconds: 145, notes: ["The source says: with the queue in memory 12.11 % less."] },
};

const sharded = { reason: "It spread the batches over several queues, which gained nothing here." };
const larger = { reason: "It is another machine, and the source does not name its load." };
const hosted = { reason: "Its database is DynamoDB, a service of AWS that cannot run here." };

/** Purchases. A1 stores nothing, A2 stores before it responds, A3 has a queue, A4 a sharded broker and another database. */
export const rowsOfS4: readonly PrintedRow[] = [
  queued(256, "transient", asItIs, 161, 4293, [43, 16, 299, 899]),
  queued(512, "transient", asItIs, 308, 4488, [84, 50, 392, 1172]),
  queued(256, "persistent", asItIs, 247, 2798, [66, 20, 689, 1334]),
  queued(512, "persistent", asItIs, 493, 2804, [148, 32, 992, 2042]),
  queued(256, "transient", balanced, 165, 4189, [44, 36, 246, 1087]),
  queued(512, "transient", balanced, 319, 4333, [88, 76, 363, 1181]),
  queued(256, "persistent", balanced, 251, 2753, [72, 38, 599, 2641]),
  queued(512, "persistent", balanced, 497, 2781, [139, 68, 936, 1670]),
  ...[
    ...before.map(([count, single]) =>
      rated(`a2-single-${count}`, `${count} stores`, synchronousSingle, single, synchronous),
    ),
    ...[...before.map(([count, , rate]) => [count, rate] as const), [512, 4954] as const, [1024, 4201] as const].map(
      ([count, rate]) =>
        rated(`a2-balancer-${count}`, `${count} stores`, synchronousBalancer, rate, balancedSynchronous),
    ),
  ].map((row) => Object.assign(row, printedOfA2[row.id])),
  ...(
    [
      [32, 2160],
      [64, 2658],
      [128, 3141],
      [256, 3456],
      [512, 3736],
      [1024, 2957],
      [2048, 2530],
    ] as const
  ).map(([count, rate]) => rated(`a1-${count}`, `${count} stores, 60 an hour`, "A1: stub without storage", rate, bare)),
  {
    id: "a1-4096",
    load: "4096 stores, 60 an hour",
    server: "A1: stub without storage",
    latencies: [],
    notes: [],
    beside: { reason: "The source prints no figures, only that requests timed out." },
  },
  ...(
    [
      [256, 5196],
      [512, 4972],
      [1024, 4999],
    ] as const
  ).map(([count, rate]) => rated(`a4-${count}`, `${count} stores`, "A4: sharded queue", rate, sharded)),
  ...(
    [
      [256, 5276],
      [512, 5857],
      [1024, 6542],
    ] as const
  ).map(([count, rate]) =>
    rated(`a4-dynamodb-${count}`, `${count} stores`, "A4: sharded queue, DynamoDB", rate, hosted),
  ),
  {
    ...rated("a4-large", "not printed", "A4 on larger machines (t2.xlarge)", 20_000, larger),
    notes: ["The printed rate is approximate. Below 10,000 a second the client was the limit."],
  },
];
