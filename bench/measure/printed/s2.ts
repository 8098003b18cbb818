import { asItIs, balanced, type PrintedRow } from "./printed-row.ts";

const bare = { ...asItIs, design: "bare" } as const;

/** Swipes, 500,000 POSTs from 900 connections. */
export const rowsOfS2: readonly PrintedRow[] = [
  {
    id: "bare-client1",
    load: "900 threads",
    server: "servlet without storage, first client",
    wallSeconds: 55.053,
    perSecond: 9082.157,
    latencies: [{ of: "POST", mean: 98.956, succeeded: 500_000 }],
    littlesLawPerSecond: 9094.9,
    notes: ["The mean is of a run before this one.", "The source prints an error of 0.1401 % against Little's law."],
    beside: bare,
  },
  {
    id: "bare-client2",
    load: "900 threads",
    server: "servlet without storage, client that keeps every latency",
    wallSeconds: 56.2,
    perSecond: 8896.8,
    latencies: [{ of: "POST", mean: 100.386, p50: 93, p99: 312, min: 35, max: 3675, succeeded: 500_000 }],
    littlesLawPerSecond: 8965.39,
    notes: [
      "The source prints an error of 0.765 % against Little's law.",
      "The text says that keeping every latency costs 2 %, from 9082 and 8900 a second; it is 2.04 %.",
      "At night the rate fell to about 6000 a second; without load a request took about 65 ms.",
    ],
    beside: bare,
  },
  {
    id: "bare-spring",
    load: "900 threads",
    server: "Spring without storage",
    wallSeconds: 170.687,
    perSecond: 2929.34,
    latencies: [{ of: "POST", mean: 305.89, p50: 297, p99: 605, min: 20, max: 1770, succeeded: 500_000 }],
    littlesLawPerSecond: 2942.25,
    notes: ["The source prints an error of 0.439 % against Little's law."],
    beside: bare,
  },
  {
    id: "queue-single",
    load: "900 threads",
    server: "queue, one server",
    perSecond: 4550,
    latencies: [{ of: "POST", succeeded: 500_000 }],
    littlesLawPerSecond: 4600,
    queueMax: 0,
    notes: ["The printed rate is approximate. The queue stayed empty."],
    beside: asItIs,
  },
  {
    id: "queue-two",
    load: "900 threads",
    server: "queue, 2 instances",
    perSecond: 6275,
    latencies: [{ of: "POST", succeeded: 500_000 }],
    littlesLawPerSecond: 6350,
    queueMax: 5000,
    notes: ["The printed rate is approximate. The queue held up to 5000 messages."],
    beside: balanced,
  },
  {
    id: "queue-mysql",
    load: "900 threads and readers",
    server: "queue and MySQL",
    wallSeconds: 69.301,
    perSecond: 7214.89,
    latencies: [
      { of: "POST", mean: 123.6, p50: 112, p99: 360.3, min: 32.6, max: 3175.6, succeeded: 500_000 },
      { of: "GET", mean: 146.9, max: 1465.8, succeeded: 342 },
    ],
    notes: ["The rate counts POSTs only."],
    beside: asItIs,
  },
];
