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
  SELECT CONCAT('store:', store_id) AS board, item_id AS member, CAST(SUM(quantity) AS UNSIGNED) AS count
  FROM purchases JOIN purchase_items ON purchase_id = id GROUP BY store_id, item_id
  UNION ALL
  SELECT CONCAT('item:', item_id), store_id, CAST(SUM(quantity) AS UNSIGNED)
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
    const shard = `${system.namespace}:{purchases:0}`;
    const prefix = `${shard}:${(await redis.get(`${shard}:generation`)) ?? "1"}:b:`;
    const cells: string[] = [];
    for (const key of await redis.keys(`${prefix}*`)) {
      const flat = await redis.zrange(key, "0", "-1", "WITHSCORES");
      for (let i = 0; i < flat.length; i += 2) {
        cells.push(`${key.slice(prefix.length)} ${flat[i]?.slice(1)} ${-Number(flat[i + 1])}`);
      }
    }
    return cells.toSorted();
  } finally {
    redis.disconnect();
  }
}
