import { setTimeout as delay } from "node:timers/promises";
import type { BulkRoute, Event } from "@tally/pipeline";
import { Type, type Static } from "typebox";
import { Check } from "typebox/value";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { messageOf, retryAfterMs, type GatewayReply } from "../gateway/gateway.ts";
import { keyColumn } from "./csv-columns.ts";
import type { Outcome } from "./import-line.ts";
import type { SendEntries, Sending } from "./send-lines.ts";

const Results = Type.Array(
  Type.Object({
    index: Type.Integer(),
    status: Type.Integer(),
    id: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
  }),
);

// Half of the gateway's default limit for a body.
const bodyBytesMax = 1 << 20;
const retryDefaultMs = 1000;

/** Sends entries with a domain's bulk route, each with its own key: any part of a request may be sent again. */
export function bulkSender(route: BulkRoute<Event>): SendEntries {
  // Becomes smaller when the gateway allows fewer entries or bytes in a request.
  let entriesMax = route.entriesMax;

  return async (entries, sending) => {
    const outcomes = new Map<number, Outcome>();
    const texts = entries.map(({ fields, key }) => JSON.stringify({ ...fields, [keyColumn]: key }));
    let open = entries.map((_, index) => index);
    let progressAt = performance.now();
    while (open.length > 0) {
      const part = firstOf(open, texts, entriesMax);
      const reply = await post(
        route.path,
        part.map((index) => texts[index] ?? ""),
        sending,
      );
      const results: unknown =
        typeof reply.json === "object" && reply.json !== null ? Reflect.get(reply.json, "results") : undefined;
      if (Check(Results, results)) {
        const settled = settle(part, results, outcomes);
        sending.onSettled(settled.length);
        if (settled.length > 0) progressAt = performance.now();
        open = open.filter((index) => !outcomes.has(index));
        if (settled.length < part.length) await pause(reply, sending, progressAt);
      } else if (reply.status === 413 && part.length > 1) entriesMax = Math.ceil(part.length / 2);
      else if (reply.status === 413 || reply.status === 422) {
        for (const index of part) outcomes.set(index, { rejected: messageOf(reply) });
        sending.onSettled(part.length);
        open = open.filter((index) => !outcomes.has(index));
      } else
        throw new CommandError(
          `${sending.gateway.url}${route.path}: ${reply.status}: ${messageOf(reply)}`,
          exitCodes.usage,
        );
    }
    return entries.map((_, index) => outcomes.get(index) ?? { rejected: "the gateway returned no result" });
  };
}

function post(path: string, texts: readonly string[], { gateway, ...patience }: Sending): Promise<GatewayReply> {
  const request = { method: "POST", path, type: "application/x-ndjson", body: texts.join("\n") } as const;
  return gateway.send(request, patience);
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

/** Notes every result that is final. Returns their indexes. */
function settle(
  part: readonly number[],
  results: Static<typeof Results>,
  outcomes: Map<number, Outcome>,
): readonly number[] {
  return results.flatMap(({ index, status, id, error }) => {
    const entry = part[index];
    if (entry === undefined || status === 503 || status === 429) return [];
    outcomes.set(entry, id === undefined ? { rejected: error ?? `status ${status}` } : { id });
    return [entry];
  });
}

/** Waits as Retry-After asks. Throws a CommandError when no entry has settled for too long. */
async function pause(
  reply: GatewayReply,
  { gateway, giveUpAfterMs, signal }: Sending,
  progressAt: number,
): Promise<void> {
  const waitMs = retryAfterMs(reply) ?? retryDefaultMs;
  if (performance.now() + waitMs - progressAt > giveUpAfterMs)
    throw new CommandError(`${gateway.url} is too busy, or a server behind it is down`, exitCodes.unreachable);
  await delay(waitMs, undefined, signal === undefined ? {} : { signal });
}
