import { crc32 } from "node:zlib";
import { setTimeout as delay } from "node:timers/promises";
import { headOf, isRetriable, isTimeout, messageOf, retryDelayMs, sendBulk, type BulkOutcome } from "@tally/client";
import { IdempotencyKey, InvalidInput, parsedJson, type Domain } from "@tally/contract";
import { Check } from "typebox/value";
import { CommandError, usageError } from "../command.ts";
import { bulkRouteOf, keyColumn } from "../entries/entry-fields.ts";
import { requestOf, type EntryRequest } from "../entries/entry-request.ts";
import { backOff, wrongKey, type Gateway } from "../gateway/gateway.ts";
import type { ImportLine } from "./file-format.ts";

/** What became of a line. */
export type Outcome = { readonly id: string } | { readonly rejected: string };

export interface SendOptions {
  readonly domain: Domain;
  readonly gateway: Gateway;
  /** Numbers of lines that are not sent, but rejected. */
  readonly skippedLines: ReadonlySet<number>;
  /** Requests at once. */
  readonly concurrency: number;
  /** How long requests may fail one after the other before the import ends. */
  readonly giveUpAfterMs: number;
}

interface Sending extends SendOptions {
  /** Makes the keys of the lines. */
  readonly identity: string;
  readonly signal: AbortSignal;
  /** For all lanes. Becomes smaller when the gateway takes fewer entries or bytes in a request, or in time, and slowly
   * larger again: no integer. */
  readonly size: { entriesMax: number };
  readonly onSettled: () => void;
}

/** The event of a line, with the key that makes it the same event on every try. */
interface Entry extends Omit<EntryRequest, "body"> {
  readonly line: number;
  readonly key: string;
  /** The event as JSON: one line of a bulk request, or the body of a single request. */
  readonly text: string;
}

// Half of the gateway's default limit for a body.
const bodyBytesMax = 1 << 20;
// For each smaller request that looks for the line at which the gateway fails.
const searchWithinMs = 2000;

/** Sends each line until it is accepted or rejected. One lane sends all single requests of a scope in order. */
export async function sendLines(lines: readonly ImportLine[], sending: Sending): Promise<readonly Outcome[]> {
  const outcomes = new Map<number, Outcome>();
  const settle = (line: number, outcome: Outcome): void => {
    outcomes.set(line, outcome);
    sending.onSettled();
  };
  const entries = lines.flatMap((line) => {
    const entry = entryOf(line, sending);
    if (!("rejected" in entry)) return [entry];
    settle(line.number, entry);
    return [];
  });
  const isBulk = bulkRouteOf(sending.domain) !== undefined;
  const lanes = Map.groupBy(entries, ({ line, scope }) =>
    isBulk ? 0 : (scope === undefined ? line : crc32(scope)) % sending.concurrency,
  );
  await Promise.all(Array.from(lanes.values(), (lane) => new Lane(lane, sending, settle).send()));
  return lines.map(({ number }) => outcomes.get(number) ?? { rejected: "not sent" });
}

function entryOf(
  { content, number }: ImportLine,
  { domain, identity, skippedLines }: Sending,
): Entry | { readonly rejected: string } {
  if ("problem" in content) return { rejected: content.problem };
  const { [keyColumn]: own, ...fields } = content.entry;
  const key = own ?? `import-${identity}-${number}`;
  if (!Check(IdempotencyKey, key)) return { rejected: `${keyColumn}: expected 1 to 255 visible ASCII characters` };
  // With the key, because the gateway may have accepted the line in spite of its error.
  if (skippedLines.has(number)) return { rejected: `skipped with --skip-line; ${keyColumn} ${key}` };
  const bulk = bulkRouteOf(domain);
  if (bulk !== undefined) {
    const text = JSON.stringify({ ...fields, [keyColumn]: key });
    return { line: number, key, text, path: bulk.path, scope: undefined, stored: undefined };
  }
  try {
    const { body: text, ...request } = requestOf(domain, fields);
    return { line: number, key, text, ...request };
  } catch (error) {
    if (error instanceof InvalidInput) return { rejected: error.message };
    throw error;
  }
}

/** Sends entries one request after the other. What may be accepted later is sent again, in any groups. */
class Lane {
  readonly #sending: Sending;
  readonly #settle: (line: number, outcome: Outcome) => void;
  readonly #isBulk: boolean;
  #open: readonly Entry[];
  readonly #entriesMax: number;
  /** The size of requests that look for the line at which the gateway fails; Infinity: none does. */
  #searchMax = Infinity;
  #failures = 0;
  #progressAt = performance.now();

  constructor(entries: readonly Entry[], sending: Sending, settle: (line: number, outcome: Outcome) => void) {
    const bulk = bulkRouteOf(sending.domain);
    this.#open = entries;
    this.#sending = sending;
    this.#settle = settle;
    this.#isBulk = bulk !== undefined;
    this.#entriesMax = bulk?.entriesMax ?? 1;
  }

  async send(): Promise<void> {
    const { signal, size } = this.#sending;
    for (;;) {
      const entriesMax = Math.min(this.#entriesMax, Math.floor(size.entriesMax), this.#searchMax);
      const part = headOf(this.#open, { entriesMax, bytesMax: bodyBytesMax });
      const [first] = part;
      if (first === undefined) return;
      const outcome = await this.#post(part, first);
      signal.throwIfAborted();
      await this.#take(outcome, part, first);
      const [next] = this.#open;
      if (first.scope !== undefined && next?.scope === first.scope) await delay(1);
    }
  }

  #post(part: readonly Entry[], { path, key, stored }: Entry): Promise<BulkOutcome<Entry>> {
    const headers = this.#isBulk
      ? { "content-type": "application/x-ndjson" }
      : { "content-type": "application/json", "idempotency-key": key };
    const { gateway, signal } = this.#sending;
    const request = { ...gateway.attemptAt(path, headers, stored === undefined ? "POST" : "PUT"), signal };
    return this.#isBulk
      ? sendBulk(part, request)
      : sendBulk(part, request, (body, _count, response) => resultOfOne(body, response, stored));
  }

  async #take(outcome: BulkOutcome<Entry>, part: readonly Entry[], first: Entry): Promise<void> {
    const { gateway, giveUpAfterMs, size } = this.#sending;
    switch (outcome.kind) {
      case "results": {
        const { accepted, rejected, again, retryAfterMs } = outcome;
        for (const { line, id } of accepted) this.#settle(line, { id });
        for (const { line, error } of rejected) this.#settle(line, { rejected: error });
        this.#open = [...again, ...this.#open.slice(part.length)];
        if (accepted.length > 0) size.entriesMax *= 1.03;
        this.#noteProgress();
        if (again.length > 0 && !(await this.#pause(retryAfterMs, giveUpAfterMs)))
          throw gateway.unavailable("is too busy, or a server behind it is down");
        return;
      }
      case "later": {
        if (isTimeout(outcome)) this.#shrink(part);
        // The gateway works: only the request was too slow.
        if (outcome.status === 408 && part.length > 1) this.#noteProgress();
        const isSearching = outcome.status === 500 && this.#searchMax < Infinity;
        const withinMs = isSearching ? Math.min(searchWithinMs, giveUpAfterMs) : giveUpAfterMs;
        if (await this.#pause(outcome.retryAfterMs, withinMs)) return;
        if (outcome.status === undefined) throw gateway.unavailable(`does not respond (${outcome.reason})`);
        if (outcome.status !== 500) throw gateway.unavailable(`responds ${outcome.reason}`);
        if (part.length === 1) throw failsAtLine(first.line, `${gateway.url} responds ${outcome.reason}`);
        this.#searchMax = Math.ceil(part.length / 2);
        this.#noteProgress();
        return;
      }
      case "tooLarge":
        this.#shrink(part);
        return;
      case "stopped":
        if (outcome.status === 401) throw wrongKey(outcome.reason);
        throw usageError(`${gateway.url}${first.path}: ${outcome.reason}`);
    }
  }

  /** One entry cannot be halved. Another lane may have made it smaller meanwhile. */
  #shrink({ length }: readonly Entry[]): void {
    const { size } = this.#sending;
    if (length > 1) size.entriesMax = Math.min(size.entriesMax, Math.ceil(length / 2));
  }

  #noteProgress(): void {
    this.#failures = 0;
    this.#progressAt = performance.now();
  }

  /** Returns false when it would wait for too long. */
  async #pause(retryAfterMs: number | undefined, withinMs: number): Promise<boolean> {
    const waitMs = retryDelayMs(++this.#failures, backOff, retryAfterMs);
    if (performance.now() + waitMs - this.#progressAt > withinMs) return false;
    await delay(waitMs, undefined, { signal: this.#sending.signal });
    return true;
  }
}

/** Reads the response to one line; undefined: it says nothing about the line, or is about all of them. */
function resultOfOne(body: string, { ok, status, headers }: Response, stored: Entry["stored"]) {
  const isStored = stored !== undefined && Check(stored, parsedJson(body));
  const id = isStored ? "" : headers.get("tally-event-id");
  if (ok) return id === null ? undefined : [{ status: 201, id } as const];
  const error = messageOf(body);
  const isAboutAll = isRetriable(status) || status < 400 || status === 401 || status === 403 || status === 413;
  return error === undefined || isAboutAll ? undefined : [{ status, error }];
}

/** The gateway always responds 500. It may have accepted the line, which as a rejected one would get another key. */
function failsAtLine(line: number, message: string): CommandError {
  return new CommandError(
    `line ${line}: ${message}\nThe log of the gateway has the cause. To go on without this line, add --skip-line ${line}`,
  );
}
