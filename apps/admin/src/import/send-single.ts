import { crc32 } from "node:zlib";
import { setTimeout as delay } from "node:timers/promises";
import type { Domain } from "@tally/contract";
import { CommandError } from "../command-error.ts";
import { requestOf, type EntryRequest } from "../entries/entry-request.ts";
import { exitCodes } from "../exit-codes.ts";
import { GatewayUnavailable, messageOf } from "../gateway/gateway.ts";
import type { Outcome } from "./import-line.ts";
import { failsAtLine, type KeyedEntry, type SendEntries, type Sending } from "./send-lines.ts";

interface InLane extends Pick<KeyedEntry, "key" | "line"> {
  readonly index: number;
  readonly request: EntryRequest;
}

/**
 * Sends each entry as one request, on `lanes` connections. Entries of one scope are on one lane, in the order of the file and at least 1 ms
 * apart: of two swipes of one pair the newest counts, by the gateway's clock in milliseconds.
 */
export function singleSender(domain: Domain, lanes: number): SendEntries {
  return async (entries, sending) => {
    const outcomes = new Map<number, Outcome>();
    const byLane = new Map<number, InLane[]>();
    for (const [index, { fields, key, line }] of entries.entries()) {
      const request = requestOf(domain, fields);
      if ("problem" in request) {
        outcomes.set(index, { rejected: request.problem });
        sending.onSettled(1);
        continue;
      }
      const lane = (request.scope === undefined ? index : crc32(request.scope)) % lanes;
      const own = byLane.get(lane);
      if (own === undefined) byLane.set(lane, [{ index, request, key, line }]);
      else own.push({ index, request, key, line });
    }
    await Promise.all(Array.from(byLane.values(), (lane) => sendLane(lane, outcomes, sending)));
    return entries.map((_, index) => outcomes.get(index) ?? { rejected: "not sent" });
  };
}

async function sendLane(lane: readonly InLane[], outcomes: Map<number, Outcome>, sending: Sending): Promise<void> {
  let before: string | undefined;
  for (const entry of lane) {
    const { scope } = entry.request;
    if (scope !== undefined && scope === before) await delay(1);
    before = scope;
    outcomes.set(entry.index, await sendOne(entry, sending));
    sending.onSettled(1);
  }
}

async function sendOne(
  { request: { path, body }, key, line }: InLane,
  { gateway, ...patience }: Sending,
): Promise<Outcome> {
  const headers = { "idempotency-key": key };
  const request = { method: "POST", path, body, type: "application/json", headers } as const;
  const reply = await gateway.send(request, patience).catch((error: unknown) => {
    if (error instanceof GatewayUnavailable && error.status === 500) throw failsAtLine(line, error.message);
    throw error;
  });
  // The key may not write this domain: no line will be accepted.
  if (reply.status === 403)
    throw new CommandError(`${gateway.url}: ${messageOf(reply)} (TALLY_API_KEY)`, exitCodes.usage);
  const id = reply.headers.get("tally-event-id");
  return reply.status < 300 && id !== null ? { id } : { rejected: messageOf(reply) };
}
