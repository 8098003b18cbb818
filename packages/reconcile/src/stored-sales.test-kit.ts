import { randomBytes, randomInt } from "node:crypto";
import { nextEpoch, ownDatabase } from "@tally/database/own-database";
import { addDomains, deadLetterMigrations, enter, joinEpoch, ledgerMigrations } from "@tally/database";
import { listBatches, placeAt, readEpochs } from "@tally/database";
import type { Database } from "@tally/database";
import { boardsOfSeries, firstLiveDay, isKept, joinBoards, keptSince } from "@tally/contract";
import { naturals, rangesOf } from "@tally/contract";
import { encodeRankingMessage, Moves, type Domain, type RankingMessage } from "@tally/contract";
import { encodeMoves, type Rankings } from "@tally/redis";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, vi } from "vitest";
import { audit, type AuditOptions } from "./audit.ts";
import { fold, foldAll, type FoldOptions } from "./fold.ts";
import { rebuild } from "./rebuild.ts";

const mirrored = { prefix: "item:", mirrorPrefix: "store:" };
const columns = "store, items, producer, sequence, day";
const kept = keptSince({ windows: ["all", "day"], by: [] }, Date.now());
// Two days with live boards, also after midnight, and one whose counts are only folded.
const days = [1, 2].map((later) => firstLiveDay(Date.now() + later * 86_400_000)).concat(20260101);

const boards = Object.fromEntries(days.map((day) => [String(day), boardsOfSeries(mirrored, String(day))]));

// Audit, fold and rebuild read only these two fields. Each domain has its own table.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const domainOf = (name: string) => ({ name, recount: recountOf(`sales_${name}`) }) as unknown as Domain;

const recountOf = (table: string): Domain["recount"] => ({
  ids: [rangesOf("id", table, "id", naturals)],
  boards: [
    {
      mirrored,
      seriesOf: (day) => ["", String(day)].map((series) => ({ name: series, by: ([, by = NaN]) => by })),
      rows: [rangesOf(columns, table, "id", naturals)],
      rowsOfBatches: [`SELECT ${columns} FROM ${table} WHERE producer = ? AND sequence BETWEEN ? AND ?`],
    },
    { rows: [rangesOf("'sales', store, 1, NULL, NULL", table, "id", naturals)] },
  ],
});

/** Sales that are stored, ranked and folded without an app: domains by name, each with its table. */
export function storedSales(names: readonly string[], shards = 1) {
  const database = ownDatabase([ledgerMigrations, "ledger"], [deadLetterMigrations, "dead-letters"]).connect();
  const own = ownRankings(shards, names.map(domainOf));
  const { rankings } = own;

  /** Closes the newest epoch, and waits until the read endpoint has it. */
  async function nextEpochOf(domain: string): Promise<void> {
    const { closedTo } = await nextEpoch(database, domain);
    // Others may open the next ones meanwhile.
    const closed = async () => (await readEpochs(database.reader, domain)).closedTo;
    const isThere = async () => expect(await closed()).toBeGreaterThanOrEqual(closedTo);
    await vi.waitFor(isThere, { timeout: 30_000, interval: 5 });
  }

  return { ...own, database, nextEpoch: nextEpochOf, open: (name: string) => open(name, { database, rankings }) };
}

interface StoreOptions extends Partial<Readonly<Record<"stores" | "items" | "quantityMin", number>>> {
  readonly isRanked?: boolean;
  readonly before?: Promise<void>;
}

/** A new domain with three producers. */
async function open(name: string, { database, rankings }: { database: Database; rankings: Rankings }) {
  const domain = domainOf(name);
  const table = `sales_${name}`;
  await database.writer.query(
    `CREATE TABLE ${table} (id INT AUTO_INCREMENT PRIMARY KEY, store BIGINT, items TEXT, producer BINARY(8), sequence INT, day INT)`,
  );
  await database.transaction((transaction) => addDomains(transaction, [name]));
  // A snapshot that is older than a table fails.
  await vi.waitFor(() => database.reader.query(`SELECT id FROM ${table}`), { timeout: 30_000, interval: 50 });
  await rebuild({ domain, database, rankings });
  const producers = Array.from({ length: 3 }, () => randomBytes(8).toString("hex"));
  const next = [0, 8190, 0];
  const messages: RankingMessage[] = [];
  const options = { domain, database, rankings };
  return {
    ...options,
    table,
    messages,
    /** Stores batches of some sales, and ranks them unless told otherwise. `before`: what each commit waits for. */
    store: async (count: number, { before, ...how }: StoreOptions = {}): Promise<void> => {
      const { isRanked = true, stores = 3, items = 20, quantityMin = -4 } = how;
      for (let n = 0; n < count; n++) {
        const at = randomInt(producers.length);
        const batch = { producer: producers[at] ?? "", sequence: (next[at] = (next[at] ?? 0) + 1) };
        const moves = new Moves();
        const sales = Array.from(
          { length: randomInt(1, 4) },
          () => [randomInt(stores), randomInt(items), quantityMin + randomInt(9) || 1, randomInt(days.length)] as const,
        );
        for (const [shop, item, quantity, day] of sales) {
          moves.add("sales", String(shop), 1);
          const own = ["", String(days[day])].filter((series) => isKept(series, kept));
          const joined = joinBoards(own.map((series) => boards[series] ?? mirrored));
          moves.addMirrored(joined, String(item), String(shop), quantity);
        }
        const producer = Buffer.from(batch.producer, "hex");
        const rows = sales.map(([shop, item, quantity, day]) => [
          shop,
          `[[${item},${quantity}]]`,
          producer,
          batch.sequence,
          days[day] ?? 0,
        ]);
        const message = { batch, storedAt: 1, series: "day", ...encodeMoves(moves, 1) };
        await database.transaction(async (transaction) => {
          const { epoch, now: storedAt } = await joinEpoch(transaction, name);
          await transaction.insert(`INSERT INTO ${table} (${columns}) VALUES ?`, rows);
          const counted = { events: rows.length, changes: rows.length, refused: 0 };
          const rankingMessage = encodeRankingMessage(message);
          const entry = { batch, domain: name, bodyHash: Buffer.alloc(8), ...counted, epoch, storedAt, rankingMessage };
          await enter(transaction, [entry]);
          await before;
        });
        if (isRanked) await rankings.rank(name, message);
        messages.push(message);
      }
    },
    foldAll: (onWait: () => void = () => undefined) => foldAll(options, onWait),
    foldWith: async (changed: Partial<FoldOptions>) =>
      fold({ ...options, until: (await readEpochs(database.writer, name)).closedTo, keptMs: 0, waitMs: 0, ...changed }),
    inLedger: async () =>
      (await listBatches(database.writer, name, placeAt(0), Number.MAX_SAFE_INTEGER, 10_000)).length,
    audit: (changed: Partial<AuditOptions> = {}) => audit({ ...options, endpoint: "write", ...changed }),
  };
}
