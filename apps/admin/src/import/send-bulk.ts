import { setTimeout as delay } from "node:timers/promises";
import { isRetriable, retryDelayMs, sendBulk } from "@tally/client";
import type { BulkRoute, Event } from "@tally/contract";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { backOff, GatewayUnavailable, wrongKey } from "../gateway/gateway.ts";
import { keyColumn } from "./csv-columns.ts";
import type { Outcome } from "./import-line.ts";
import { failsAtLine, type SendEntries, type Sending } from "./send-lines.ts";

// Half of the gateway's default limit for a body.
const bodyBytesMax = 1 << 20;
// For each smaller request that looks for the line at which the gateway fails.
const searchWithinMs = 2000;

/**
 * Sends entries with a domain's bulk route. Each has its own key, so the entries of a failed request are sent again, in any groups. When the
 * gateway responds with 500 for `giveUpAfterMs`, smaller and smaller requests find the line at which it does.
 */
export function bulkSender(route: BulkRoute<Event>): SendEntries {
  // Becomes smaller when the gateway allows fewer entries or bytes in a request.
  let entriesMax = route.entriesMax;

  return async (entries, sending) => {
    const { gateway, signal, giveUpAfterMs, onSettled } = sending;
    const outcomes = new Map<number, Outcome>();
    const texts = entries.map(({ fields, key }) => JSON.stringify({ ...fields, [keyColumn]: key }));
    const attempt = { ...gateway.attemptAt(route.path, "application/x-ndjson"), signal };
    let open = entries.map((_, index) => index);
    // Of the requests that look for a line.
    let searchMax = Infinity;
    let failures = 0;
    let progressAt = performance.now();

    function settle(settled: readonly (readonly [index: number, outcome: Outcome])[]): void {
      if (settled.length === 0) return;
      for (const [index, outcome] of settled) outcomes.set(index, outcome);
      open = open.filter((index) => !outcomes.has(index));
      onSettled(settled.length);
      failures = 0;
      progressAt = performance.now();
    }

    /** Returns false when it would wait for too long. */
    async function pause(retryAfterMs: number | undefined, withinMs: number): Promise<boolean> {
      const waitMs = retryDelayMs(++failures, backOff, retryAfterMs);
      if (performance.now() + waitMs - progressAt > withinMs) return false;
      await delay(waitMs, undefined, signal === undefined ? {} : { signal });
      return true;
    }

    while (open.length > 0) {
      const part = firstOf(open, texts, Math.min(entriesMax, searchMax));
      const outcome = await sendBulk(
        part.map((index) => texts[index] ?? ""),
        attempt,
      );
      signal?.throwIfAborted();
      switch (outcome.kind) {
        case "results": {
          const results = part.map((index, at) => [index, outcome.results[at]] as const);
          settle(
            results.flatMap(([index, result]) => {
              if (result === undefined || isRetriable(result.status)) return [];
              return [[index, "id" in result ? { id: result.id } : { rejected: result.error }]];
            }),
          );
          const isBusy = part.some((index) => !outcomes.has(index));
          if (isBusy && !(await pause(outcome.retryAfterMs, giveUpAfterMs)))
            throw new CommandError(`${gateway.url} is too busy, or a server behind it is down`, exitCodes.unreachable);
          break;
        }
        case "later": {
          const isSearch = searchMax < Infinity;
          if (await pause(outcome.retryAfterMs, isSearch ? Math.min(searchWithinMs, giveUpAfterMs) : giveUpAfterMs))
            break;
          const { status, reason } = outcome;
          if (status !== 500) throw unavailable(sending, status, reason);
          const [first] = part;
          const line = first === undefined ? undefined : entries[first]?.line;
          if (part.length === 1 && line !== undefined) throw failsAtLine(line, `${gateway.url} responds ${reason}`);
          searchMax = Math.ceil(part.length / 2);
          failures = 0;
          progressAt = performance.now();
          break;
        }
        case "tooLarge":
          if (part.length > 1) entriesMax = Math.ceil(part.length / 2);
          else settle(part.map((index) => [index, { rejected: outcome.reason }]));
          break;
        case "refused":
          if (outcome.status === 401) throw wrongKey(outcome.reason);
          throw new CommandError(`${gateway.url}${route.path}: ${outcome.reason}`, exitCodes.usage);
      }
    }
    return entries.map((_, index) => outcomes.get(index) ?? { rejected: "the gateway returned no result" });
  };
}

function unavailable({ gateway: { url } }: Sending, status: number | undefined, reason: string): GatewayUnavailable {
  const message = status === undefined ? `${url} does not respond (${reason})` : `${url} responds ${reason}`;
  return new GatewayUnavailable(message, status);
}

/** As many as one request may have; at least one. */
function firstOf(open: readonly number[], texts: readonly string[], entriesMax: number): readonly number[] {
  let bytes = 0;
  const end = open.findIndex((index, count) => {
    bytes += Buffer.byteLength(texts[index] ?? "") + 1;
    return count > 0 && (count >= entriesMax || bytes > bodyBytesMax);
  });
  return end < 0 ? open : open.slice(0, end);
}
