import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** What tills saw. */
export interface Sold {
  /** Of each sale that was answered 201, by its key. */
  readonly ids: ReadonlyMap<string, string>;
  /** Answers by their status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that were refused or ended before an answer. */
  readonly broken: number;
  /** The longest time without any 201, in ms. */
  readonly longestGapMs: number;
  /** How often the unluckiest sale was sent, each time to the next gateway. */
  readonly triesMax: number;
}

export interface Tills {
  /** How many sales were answered 201 so far. */
  readonly count: number;
  stop(): Promise<Sold>;
}

/** Sells at some gateways without pause, on kept connections: each sale with a key of its own, again until it is answered 201. */
export function keepSelling(urls: readonly string[], tills: number): Tills {
  const agent = new Agent({ keepAlive: true });
  const run = randomUUID();
  const ids = new Map<string, string>();
  const statuses: Record<string, number> = {};
  let broken = 0;
  let sales = 0;
  let longestGapMs = 0;
  let goodAt = performance.now();
  let triesMax = 0;
  let stopping = false;

  const keyOf = (sale: number): string => `${run}-${sale}`;
  const post = (url: string, sale: number): Promise<string | undefined> =>
    new Promise((resolve) => {
      const headers = { "content-type": "application/json", "idempotency-key": keyOf(sale) };
      const path = `/purchase/${sale % 7}/customer/1/date/20261120`;
      const sent = request(url + path, { agent, method: "POST", headers, timeout: 15_000 }, (response) => {
        const { statusCode = 0 } = response;
        statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
        response.resume().once("close", () => resolve(statusCode === 201 ? idOf(response.headers) : undefined));
      });
      sent.once("timeout", () => sent.destroy());
      sent.once("error", () => {
        broken++;
        resolve(undefined);
      });
      sent.end('{"items":[{"ItemID":1,"numberOfItems":1}]}');
    });

  async function till(): Promise<void> {
    while (!stopping) {
      const sale = sales++;
      for (let tries = 1; ; tries++) {
        const id = await post(urls[(sale + tries) % urls.length] ?? "", sale);
        if (id !== undefined) {
          ids.set(keyOf(sale), id);
          triesMax = Math.max(triesMax, tries);
          longestGapMs = Math.max(longestGapMs, performance.now() - goodAt);
          goodAt = performance.now();
          break;
        }
        await delay(50);
      }
    }
  }

  const all = Promise.all(Array.from({ length: tills }, till));
  return {
    get count() {
      return ids.size;
    },
    async stop() {
      stopping = true;
      await all;
      agent.destroy();
      return { ids, statuses, broken, longestGapMs, triesMax };
    },
  };
}

function idOf(headers: NodeJS.Dict<string | string[]>): string {
  return String(headers["tally-event-id"]);
}
