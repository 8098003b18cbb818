import { crc32 } from "node:zlib";
import { setTimeout as delay } from "node:timers/promises";
import type { Domain } from "@tally/pipeline";
import { CommandError } from "../command-error.ts";
import { requestOf, type EntryRequest } from "../entries/entry-request.ts";
import { exitCodes } from "../exit-codes.ts";
import { messageOf } from "../gateway/gateway.ts";
import type { Outcome } from "./import-line.ts";
import type { KeyedEntry, SendEntries, Sending } from "./send-lines.ts";

interface Lane {
  readonly index: number;
  readonly request: EntryRequest;
  readonly key: string;
}

/**
 * Sends each entry as one request, on `lanes` connections. Entries of one scope are on one lane, in the order of the file and at least 1 ms
 * apart: of two swipes of one pair the newest counts, by the gateway's clock in milliseconds.
 */
export function singleSender(domain: Domain, lanes: number): SendEntries {
  return async (entries, sending) => {
    const outcomes = new Map<number, Outcome>();
    const byLane = new Map<number, Lane[]>();
    for (const [index, { fields, key }] of entries.entries()) {
      const request = requestOf(domain, fields);
      if ("problem" in request) {
        outcomes.set(index, { rejected: request.problem });
        sending.onSettled(1);
        continue;
      }
      const lane = (request.scope === undefined ? index : crc32(request.scope)) % lanes;
      const own = byLane.get(lane);
      if (own === undefined) byLane.set(lane, [{ index, request, key }]);
      else own.push({ index, request, key });
    }
    await Promise.all(Array.from(byLane.values(), (lane) => sendLane(lane, outcomes, sending)));
    return entries.map((_, index) => outcomes.get(index) ?? { rejected: "not sent" });
  };
}

async function sendLane(lane: readonly Lane[], outcomes: Map<number, Outcome>, sending: Sending): Promise<void> {
  let before: string | undefined;
  for (const { index, request, key } of lane) {
    if (request.scope !== undefined && request.scope === before) await delay(1);
    before = request.scope;
    outcomes.set(index, await sendOne(request, key, sending));
    sending.onSettled(1);
  }
}

async function sendOne(
  { path, body }: EntryRequest,
  key: KeyedEntry["key"],
  { gateway, ...patience }: Sending,
): Promise<Outcome> {
  const headers = { "idempotency-key": key };
  const reply = await gateway.send({ method: "POST", path, body, type: "application/json", headers }, patience);
  // The key may not write this domain: no line will be accepted.
  if (reply.status === 403)
    throw new CommandError(`${gateway.url}: ${messageOf(reply)} (TALLY_API_KEY)`, exitCodes.usage);
  const id = reply.headers.get("tally-event-id");
  return reply.status < 300 && id !== null ? { id } : { rejected: messageOf(reply) };
}
