import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import { expect, onTestFinished, test } from "vitest";
import { type ClientRequest, quantile } from "../../kit/index.ts";
import { Recorder } from "./recorder.ts";
import { runAutocannon } from "./autocannon.ts";
import { runClosed } from "./closed.ts";

/* Clients measure the same: each sends the same closed load to one server, in interleaved rounds. */

const connections = 64;
const seconds = 2;
const body = JSON.stringify({ items: Array.from({ length: 5 }, (_, item) => ({ itemID: String(item), quantity: 1 })) });
const request: ClientRequest = { method: "POST", path: "/purchase/1/customer/2?date=20260101", body };
const next = (): ClientRequest => request;

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}
type Client = (url: string) => Promise<Measured>;

/** From a load's recorder. */
async function recorded(run: (recorder: Recorder) => Promise<void>): Promise<Measured> {
  const recorder = new Recorder();
  await run(recorder);
  const { accepted, seconds: length, posts } = recorder.result();
  const histogram = decodeFromCompressedBase64(posts);
  const at = (percentile: number): number => histogram.getValueAtPercentile(percentile) / 1000;
  return { perSecond: accepted / length, p50: at(50), p99: at(99) };
}

const byAutocannon: Client = (url) => {
  const until = { seconds };
  return recorded((recorder) =>
    runAutocannon({ urls: [url], connections, responseWithinMs: 10_000, until, next, recorder }),
  );
};

const byUndici: Client = (url) => {
  const load = { urls: [url], connections, responseWithinMs: 10_000, amount: Infinity, next };
  return recorded((recorder) => runClosed({ ...load, recorder, ending: AbortSignal.timeout(seconds * 1000) }));
};

async function steadyServer(): Promise<string> {
  const server = new Worker(new URL("steady-server.fixture.ts", import.meta.url));
  onTestFinished(() => void server.terminate());
  const [port]: unknown[] = await once(server, "message");
  return `http://127.0.0.1:${String(port)}`;
}

const roundsAtOnce = 5;
const roundsMax = 20;

test("autocannon and undici measure the same", async () => {
  const url = await steadyServer();
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  const median = (all: readonly number[]): number => quantile(all, 0.5);
  const ratio = (figure: keyof Measured): number =>
    median(ours.map((round) => round[figure])) / median(theirs.map((round) => round[figure]));
  const isClose = (): boolean =>
    Math.abs(ratio("perSecond") - 1) <= 0.05 &&
    (["p50", "p99"] as const).every((figure) => Math.abs(ratio(figure) - 1) <= 0.1);
  // Until the medians agree: other work on the machine disturbs some rounds.
  while (ours.length < roundsMax && (ours.length < roundsAtOnce || !isClose())) {
    ours.push(await byAutocannon(url));
    theirs.push(await byUndici(url));
  }
  expect({ perSecond: ratio("perSecond"), p50: ratio("p50"), p99: ratio("p99"), isClose: isClose() }).toMatchObject({
    isClose: true,
  });
});
