import { connectDatabase, type Database } from "@tally/database";
import { Redis } from "ioredis";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Where a system's data is. */
interface System {
  readonly namespace: string;
  readonly addresses: {
    readonly databaseWriteUrl: string;
    readonly databaseReadUrl: string;
    readonly redisUrl: string;
  };
}

/** Opens a system's database as a test sees it; close it at the end. */
export function openDatabase(system: System): Database {
  return connectDatabase({
    writeUrl: system.addresses.databaseWriteUrl,
    readUrl: system.addresses.databaseReadUrl,
    writeConnections: 1,
    readConnections: 1,
    queryTimeoutMs: 60_000,
    log: silent,
  });
}

const sums = `
  SELECT CONCAT('w:store:', store_id) AS board, item_id AS member, CAST(SUM(quantity) AS UNSIGNED) AS count
  FROM purchases JOIN purchase_items ON purchase_id = id GROUP BY store_id, item_id
  UNION ALL
  SELECT CONCAT('b:item:', item_id), store_id, CAST(SUM(quantity) AS UNSIGNED)
  FROM purchases JOIN purchase_items ON purchase_id = id GROUP BY item_id, store_id`;

/** Every cell of every board as the rows say it, "board member count", sorted. */
export async function cellsOfRows(database: Database): Promise<readonly string[]> {
  const rows = await database.writer.query<{ board: string; member: number; count: number }>(sums);
  return rows.map(({ board, member, count }) => `${board} ${member} ${count}`).toSorted();
}

/** Every cell of every board as Redis has it, read without any of tally's own code. */
export async function cellsOfBoards(system: System): Promise<readonly string[]> {
  const redis = new Redis(system.addresses.redisUrl);
  try {
    const prefix = `${system.namespace}:{purchases:0}:1:`;
    const cells: string[] = [];
    for (const key of await redis.keys(`${prefix.replaceAll(/[{}]/g, "?")}[wb]:*`)) {
      const flat = await redis.zrange(key, "0", "-1", "WITHSCORES");
      for (let i = 0; i < flat.length; i += 2) {
        const board = key.slice(prefix.length);
        // A wide board's score holds the id too, see packages/rankings/src/score.ts.
        const count = Math.ceil(-Number(flat[i + 1]) / (board.startsWith("w:") ? 2 ** 21 : 1));
        cells.push(`${board} ${flat[i]?.slice(1)} ${count}`);
      }
    }
    return cells.toSorted();
  } finally {
    redis.disconnect();
  }
}
