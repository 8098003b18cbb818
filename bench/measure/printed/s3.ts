import { asItIs, balanced, type PrintedRow } from "./printed-row.ts";

const synchronous = { ...asItIs, design: "synchronous" } as const;
const oneDatabase = { ...asItIs, design: "primary-reads" } as const;
const quoted =
  "The report of that earlier server prints the same latencies, but another wall time and rate: see the rows below.";
const earlier = "The latencies are those of the row that quotes it.";

/** Lift rides. A2 stores before it responds, A3 has a queue and one database, A4 a queue and two databases. */
export const rowsOfS3: readonly PrintedRow[] = [
  {
    id: "a2-256",
    load: "256 threads",
    server: "A2: database, no queue",
    wallSeconds: 2341,
    perSecond: 165,
    latencies: [
      { of: "POST", mean: 1151, p50: 1222, p99: 2594, max: 11_032 },
      { of: "GET", mean: 1506, p50: 961, p99: 4472, max: 6369 },
    ],
    notes: [],
    beside: synchronous,
  },
  {
    id: "a3-256",
    load: "256 threads",
    server: "A3: queue, one database",
    wallSeconds: 332,
    perSecond: 1155,
    latencies: [
      { of: "POST", mean: 201, p50: 175, p99: 5021, max: 6031 },
      { of: "GET", mean: 192, p50: 259, p99: 6326, max: 8185 },
    ],
    notes: ["332 s give 1165 a second, not 1155.", quoted],
    beside: oneDatabase,
  },
  {
    id: "a3-512",
    load: "512 threads",
    server: "A3: queue, one database",
    wallSeconds: 493,
    perSecond: 1325,
    latencies: [
      { of: "POST", mean: 221, p50: 205, p99: 6091, max: 9014 },
      { of: "GET", mean: 302, p50: 291, p99: 8941, max: 10_011 },
    ],
    notes: ["493 s give 1569 a second, not 1325.", quoted],
    beside: oneDatabase,
  },
  {
    id: "a4-256",
    load: "256 threads",
    server: "A4: queue, two databases",
    wallSeconds: 245,
    perSecond: 1579,
    latencies: [
      { of: "POST", mean: 94, p50: 75, p99: 247, max: 344 },
      { of: "GET", mean: 129, p50: 35, p99: 636, max: 661 },
    ],
    notes: [],
    beside: asItIs,
  },
  {
    id: "a4-512",
    load: "512 threads",
    server: "A4: queue, two databases",
    wallSeconds: 472,
    perSecond: 1638,
    latencies: [
      { of: "POST", mean: 192, p50: 200, p99: 394, max: 661 },
      { of: "GET", mean: 339, p50: 173, p99: 6003, max: 8035 },
    ],
    notes: [],
    beside: asItIs,
  },
  {
    id: "a3-report-256",
    load: "256 threads",
    server: "A3's own report, no load balancer",
    wallSeconds: 213,
    perSecond: 1513,
    latencies: [],
    notes: ["213 s give 1816 a second, not 1513.", earlier],
    beside: oneDatabase,
  },
  {
    id: "a3-report-512",
    load: "512 threads",
    server: "A3's own report, no load balancer",
    wallSeconds: 350,
    perSecond: 2213,
    latencies: [],
    notes: [earlier],
    beside: oneDatabase,
  },
  {
    id: "a3-report-256-balancer",
    load: "256 threads",
    server: "A3's own report, load balancer",
    wallSeconds: 206,
    perSecond: 1590,
    latencies: [],
    notes: ["206 s give 1878 a second, not 1590."],
    beside: balanced,
  },
  {
    id: "a3-report-512-balancer",
    load: "512 threads",
    server: "A3's own report, load balancer",
    wallSeconds: 339,
    perSecond: 2319,
    latencies: [],
    notes: ["339 s give 2282 a second, not 2319."],
    beside: balanced,
  },
];
