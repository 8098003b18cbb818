import { decodeFromCompressedBase64 as decode, encodeIntoCompressedBase64 as encode } from "hdr-histogram-js";
import { microseconds, type Second } from "../../kit/index.ts";
import type { PhaseResult } from "./load-plan.ts";
import { mergeRequestLogs } from "./request-log.ts";

/** Merges the results of several threads. Quantiles come from the merged histograms, those of each second from the worst thread. */
export function mergeResults(results: readonly PhaseResult[]): PhaseResult {
  const sum = (of: (result: PhaseResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const most = (of: (result: PhaseResult) => number): number => Math.max(...results.map(of));
  const statuses: Record<string, number> = {};
  for (const result of results)
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  return {
    seconds: most(({ seconds }) => seconds),
    sendingSeconds: most(({ sendingSeconds }) => sendingSeconds),
    sent: sum(({ sent }) => sent),
    accepted: sum(({ accepted }) => accepted),
    read: sum(({ read }) => read),
    statuses,
    connectionErrors: sum(({ connectionErrors }) => connectionErrors),
    timeouts: sum(({ timeouts }) => timeouts),
    failedReads: sum(({ failedReads }) => failedReads),
    retries: sum(({ retries }) => retries),
    longestGapMs: most(({ longestGapMs }) => longestGapMs),
    slowestMs: most(({ slowestMs }) => slowestMs),
    withoutResponse: sum(({ withoutResponse }) => withoutResponse),
    posts: merged(results.map(({ posts }) => posts)),
    gets: merged(results.map(({ gets }) => gets)),
    perSecond: Array.from({ length: most(({ perSecond }) => perSecond.length) }, (_, second) =>
      mergeSeconds(results.flatMap(({ perSecond }) => perSecond[second] ?? [])),
    ),
    // A source runs in one thread.
    groups: results.flatMap(({ groups }) => groups),
    requestLog: mergeRequestLogs(results.map(({ requestLog }) => requestLog)),
    client: { busy: most(({ client }) => client.busy), delayP99: most(({ client }) => client.delayP99) },
  };
}

function merged(encoded: readonly string[]): string {
  const all = microseconds();
  for (const one of encoded) all.add(decode(one));
  return encode(all);
}

function mergeSeconds(seconds: readonly Second[]): Second {
  const p50s = seconds.flatMap(({ p50 }) => p50 ?? []);
  const p99s = seconds.flatMap(({ p99 }) => p99 ?? []);
  return {
    accepted: seconds.reduce((sum, { accepted }) => sum + accepted, 0),
    read: seconds.reduce((sum, { read }) => sum + read, 0),
    failed: seconds.reduce((sum, { failed }) => sum + failed, 0),
    ...(p50s.length > 0 && { p50: Math.max(...p50s), p99: Math.max(...p99s) }),
  };
}
