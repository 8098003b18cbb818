import { readFile } from "node:fs/promises";
import { expect, vi } from "vitest";
import { sell } from "./sales.ts";
import { cellsOfBoards, cellsOfRows, openDatabase, startSystemWithServers } from "./system.ts";

const settings = {
  CONFIRM_WITHIN_MS: "1500",
  WAITING_MAX: "40",
  // Many small batches wait at a gateway, most of them not in flight.
  BATCH_EVENTS_MAX: "2",
  WRITER_THREADS: "1",
  WRITER_PREFETCH: "4",
};

/** A system whose servers a test disturbs, and what it sold. */
export async function openShop() {
  const system = await startSystemWithServers(settings);
  const database = openDatabase(system);
  const [operatorUrl = ""] = system.operatorUrls;
  const acknowledged = new Set<string>();
  let sales = 0;
  // Sales without a 201: their outcome is unknown, so they are sent again with the same key.
  const unknown: number[] = [];

  async function post(n = sales++, url = system.url): Promise<Response> {
    const sale = { customer: n, item: n % 40, quantity: 1 + (n % 3), headers: { "idempotency-key": `sale-${n}` } };
    const response = await sell(url, n % 5, sale);
    await response.arrayBuffer();
    if (response.status === 201) acknowledged.add((response.headers.get("tally-event-id") ?? "").replaceAll("-", ""));
    else unknown.push(n);
    return response;
  }
  const metrics = async (): Promise<string> => (await fetch(`${operatorUrl}/metrics`)).text();
  const linesOf = async (app: "gateway" | "writer" | "ranker", text: string): Promise<number> =>
    (await readFile(system[app].logFile, "utf8")).split("\n").filter((line) => line.includes(text)).length;

  return {
    ...system,
    /** Sells to the gateway. */
    post: () => post(),
    /** Sells to another gateway of the system. */
    postTo: (url: string) => post(undefined, url),
    metrics,
    /** Lines of an app's log with this text. */
    linesOf,
    /** Sells, and sends what was not acknowledged before again. Each must get 201. */
    async sell(count: number): Promise<void> {
      for (const n of unknown.splice(0)) expect((await post(n)).status).toBe(201);
      for (let n = 0; n < count; n++) expect((await post()).status).toBe(201);
    },
    /** A request that could not be served, with the time to retry. */
    expectRefused({ status, headers }: Response): void {
      expect(status).toBe(503);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    },
    ready: () => vi.waitFor(async () => expect((await fetch(`${operatorUrl}/health/ready`)).status).toBe(200), 30_000),
    /** Every acknowledged sale is one row, there is no other, and every board equals the rows. */
    async expectEqual(): Promise<void> {
      const check = async (): Promise<void> => {
        const rows = await database.writer.query<{ id: string }>("SELECT LOWER(HEX(id)) AS id FROM purchases");
        const stored = new Set(rows.map(({ id }) => id));
        const lost = [...acknowledged].filter((id) => !stored.has(id));
        expect({ lost, rows: rows.length }).toEqual({ lost: [], rows: acknowledged.size });
        expect(await cellsOfBoards(system)).toEqual(await cellsOfRows(database));
      };
      await vi.waitFor(check, { timeout: 60_000, interval: 500 });
    },
  };
}
