import { eventState } from "@tally/bench/kit";
import type { Database } from "@tally/database";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, vi } from "vitest";
import { entry, formMediaType, formOf, type Part } from "../http/requests.ts";

type Headers = Readonly<Record<string, string>>;

/** Posts JSON, or puts it. */
export const postJson = (url: string, body: unknown, headers: Headers = {}, method = "POST"): Promise<Response> =>
  fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Posts a form. */
export const sendForm = (url: string, parts: readonly Part[], headers: Headers = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": formMediaType, ...headers },
    body: new Uint8Array(formOf(parts)),
  });

/** Posts one sale in a store. Default: 4 pieces of item 9, to customer 1, on 2026-11-20, without an Idempotency-Key. */
export function sell(
  url: string,
  store: number | string,
  { item = 9, quantity = 4, customer = 1, date = "20261120", unitPrice, headers = {} }: Sale = {},
): Promise<Response> {
  const path = `/purchase/${store}/customer/${customer}/date/${date}`;
  return postJson(url + path, { items: [{ ItemID: item, numberOfItems: quantity, unitPrice }] }, headers);
}

interface Sale {
  readonly item?: number;
  readonly quantity?: number;
  readonly customer?: number;
  readonly date?: string;
  readonly unitPrice?: string;
  readonly headers?: Headers;
}

/** Fails unless a response has this status, and this JSON. */
export async function expectJson(response: Response, status: number, body: unknown): Promise<void> {
  expect([response.status, await response.json()]).toEqual([status, body]);
}

/** Fails unless a request could not be served, and its response names the time to retry. */
export function expectRefused({ status, headers }: Response): void {
  expect(status).toBe(503);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
}

/** Posts equal sales of a store in one request: each of 3 pieces of item 85571. */
export const sellMany = (url: string, store: number, count: number, headers?: Headers): Promise<Response> =>
  postJson(`${url}/purchases`, Array<unknown>(count).fill(JSON.parse(entry(store))), headers);

/** Posts one sale, and throws unless it is acknowledged. Returns the event's id. */
export async function sold(...sale: Parameters<typeof sell>): Promise<string> {
  const response = await sell(...sale);
  const text = await response.text();
  if (response.status !== 201) throw new Error(`a sale got ${response.status}: ${text}`);
  return response.headers.get("tally-event-id") ?? "";
}

/** Clients that send sales without pause on kept-alive connections, each sale with its own key and again until it gets
 * 201; a few are sent again after that, as by a client that missed the response. */
export function keepSending(urls: readonly string[], clients: number, headers: Headers = {}) {
  const run = randomUUID();
  const ids = new Map<string, string>();
  const statuses: Record<string, number> = {};
  let [sales, longestGapMs, triesMax] = [0, 0, 0];
  let createdAt = performance.now();
  let stopping = false;

  /** The end of a time without any 201. */
  function noteGap(): void {
    const now = performance.now();
    [longestGapMs, createdAt] = [Math.max(longestGapMs, now - createdAt), now];
  }

  async function send(sale: number, key: string): Promise<string> {
    for (let tries = 1; ; tries++) {
      const { status, id } = await post(urls[(sale + tries) % urls.length] ?? "", sale, {
        ...headers,
        "idempotency-key": key,
      });
      if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1;
      if (id !== undefined) {
        triesMax = Math.max(triesMax, tries);
        noteGap();
        return id;
      }
      await delay(50);
    }
  }

  async function client(): Promise<void> {
    while (!stopping) {
      const sale = sales++;
      const key = `${run}-${sale}`;
      const id = await send(sale, key);
      if (sale % 17 === 0 && (await send(sale, key)) !== id) throw new Error(`the retry of ${key} is another event`);
      ids.set(key, id);
    }
  }

  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    /** Sales that got 201 so far. */
    get count() {
      return ids.size;
    },
    /** Resolves when they got more than `further` other 201. */
    async more(further = 200) {
      const before = ids.size;
      await vi.waitFor(() => expect(ids.size).toBeGreaterThan(before + further), 120_000);
    },
    /** The longest time without any 201 since the call before. */
    takeLongestGapMs() {
      noteGap();
      const gap = longestGapMs;
      longestGapMs = 0;
      return gap;
    },
    /** `ids`: by the key of a sale. `triesMax`: the most tries of one sale, each at the next gateway. */
    async stop() {
      stopping = true;
      await all;
      return { ids, statuses, triesMax };
    },
  };
}

/** Sends the nth sale once. Without a response the result is empty. */
async function post(url: string, sale: number, own: Headers): Promise<{ status?: number; id?: string }> {
  // Consumers of any release read the messages of traced events.
  const traced = sale % 10 === 0 && { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
  const headers = { "content-type": "application/json", ...own, ...traced };
  const items = [1, 2, 3].map((n) => ({ ItemID: (sale * n) % 50, numberOfItems: 1 + (sale % 3) }));
  const sent = { method: "POST", headers, body: JSON.stringify({ items }), signal: AbortSignal.timeout(15_000) };
  try {
    const response = await fetch(`${url}/purchase/${sale % 7}/customer/1/date/20261120`, sent);
    await response.arrayBuffer();
    const { status } = response;
    return status === 201 ? { status, id: String(response.headers.get("tally-event-id")) } : { status };
  } catch {
    return {};
  }
}

const often = { timeout: 120_000, interval: 20 };

/** Sends one sale, again with its key until it gets 201, and looks for its row at the write endpoint, and then for its
 * place in the rankings. Fails after two minutes. */
export async function recoveryTimes(url: string, { writer }: Database) {
  const begunAt = performance.now();
  const since = (): number => Math.round(performance.now() - begunAt);
  const headers = { "idempotency-key": randomUUID() };
  const id = await vi.waitFor(() => sold(url, 1, { headers }), often);
  const acceptedMs = since();
  const row = "SELECT 1 FROM purchases WHERE id = ?";
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  await vi.waitFor(async () => expect(await writer.query(row, [bytes])).toHaveLength(1), often);
  const storedMs = since();
  await untilRanked(url, id);
  return { id, acceptedMs, storedMs, rankedMs: since() };
}

/** Resolves when an event is counted in the rankings. */
export function untilRanked(url: string, id: string): Promise<void> {
  return vi.waitFor(async () => expect((await eventState(url, id, 2000)).ranked).toBe(true), often);
}
