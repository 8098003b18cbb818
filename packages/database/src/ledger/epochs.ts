import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { SqlReader, SqlTransaction } from "@tally/contract";
import type { Database } from "../connection/connect-database.ts";
import { UnexpectedState } from "../connection/database-error.ts";

/*
 * Batches commit in an order that neither their ids nor a clock shows. Epochs give one: a transaction that stores
 * batches shares the row of the newest epoch until its commit, and its ledger rows have the epoch's number. An auditor
 * opens the next epoch and, when no transaction shares the earlier one any more, closes it. No writer waits for that.
 * So every batch of a closed epoch is visible, and no later batch joins it.
 *
 * The token tells one history of the database from another. Replication keeps the order of commits: a server that has
 * an epoch with its token has all that was committed before it was opened. A server that was promoted without the last
 * commits, or restored, lacks it.
 */

/** The newest epoch and the one before it. */
export interface Epochs {
  readonly newest: Epoch;
  readonly earlier: Epoch;
  /** All batches of epochs up to this one are visible. */
  readonly closedTo: number;
}

export interface Epoch {
  readonly epoch: number;
  /** 16 hexadecimal digits. */
  readonly token: string;
  readonly isOpen: boolean;
}

const againAfterMs = 5;

// Two statements: in one, MariaDB shares the rows of the inner SELECT too, and so keeps the earlier epoch open.
const selectNewest = "SELECT slot FROM ledger_epochs WHERE domain = ? ORDER BY epoch DESC LIMIT 1";
const joinSlot = `
  SELECT epoch, is_open AS isOpen, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS UNSIGNED) AS now FROM ledger_epochs
  WHERE domain = ? AND slot = ? LOCK IN SHARE MODE`;
const selectEpochs = "SELECT epoch, token, is_open AS isOpen FROM ledger_epochs WHERE domain = ? ORDER BY epoch DESC";
const openNext = `
  UPDATE ledger_epochs SET epoch = epoch + 2, token = ?, is_open = 1
  WHERE domain = ? AND slot = ? AND epoch = ? AND is_open = 0`;
const lockUnshared =
  "SELECT epoch FROM ledger_epochs WHERE domain = ? AND slot = ? AND epoch = ? FOR UPDATE SKIP LOCKED";
const closeOne = "UPDATE ledger_epochs SET is_open = 0 WHERE domain = ? AND slot = ?";
// Waits for no transaction that shares a row, as ON DUPLICATE KEY UPDATE would.
const insertEpochs = "INSERT IGNORE INTO ledger_epochs (domain, slot, epoch, token, is_open) VALUES ?";

/** The epoch of a transaction that stores batches, which stays open until its commit, and the database's clock in ms
 * since 1970. Two lookups. */
export async function joinEpoch(
  transaction: SqlTransaction,
  domain: string,
): Promise<{ readonly epoch: number; readonly now: number }> {
  for (;;) {
    const [newest] = await transaction.query<{ slot: number }>(selectNewest, [domain]);
    if (newest === undefined) throw withoutRows(domain);
    const [row] = await transaction.query<Record<"epoch" | "isOpen" | "now", number>>(joinSlot, [domain, newest.slot]);
    // Closed between the two statements: a newer one is open.
    if (row?.isOpen === 1) return { epoch: row.epoch, now: row.now };
    await delay(againAfterMs);
  }
}

export async function readEpochs(reader: SqlReader, domain: string): Promise<Epochs> {
  const epochs = await findEpochs(reader, domain);
  if (epochs === undefined) throw withoutRows(domain);
  return epochs;
}

/** Undefined: a read endpoint that is behind does not have the domain yet. */
export async function findEpochs(reader: SqlReader, domain: string): Promise<Epochs | undefined> {
  const rows = await reader.query<{ epoch: number; token: Buffer; isOpen: number }>(selectEpochs, [domain]);
  const [newest, earlier] = rows.map(({ epoch, token, isOpen }): Epoch => ({
    epoch,
    token: token.toString("hex"),
    isOpen: isOpen === 1,
  }));
  if (newest === undefined || earlier === undefined) return undefined;
  return { newest, earlier, closedTo: earlier.isOpen ? earlier.epoch - 1 : earlier.epoch };
}

/** False: the database never opened it, or opened another one of this number. */
export function isInHistory({ newest, earlier }: Epochs, { epoch, token }: Omit<Epoch, "isOpen">): boolean {
  if (epoch < earlier.epoch) return true;
  return [newest, earlier].some((one) => one.epoch === epoch && one.token === token);
}

// The auditor calls both, and must go on to repair rankings while the database cannot write.
const soon = { giveUpAfterMs: 5000 };

/** Opens the epoch after the newest one, and returns it; undefined: the earlier one is open, another process did the
 * same, the outcome is unknown, or `mayOpen` says no, which reads the same history of the database. Waits for none. */
export async function openEpoch(
  database: Pick<Database, "transaction">,
  domain: string,
  { earlier }: Epochs,
  mayOpen: (reader: SqlReader) => Promise<boolean> = async () => true,
): Promise<Epoch | undefined> {
  if (earlier.isOpen) return undefined;
  const slot = earlier.epoch % 2;
  const token = randomBytes(8);
  const opened = await database.transaction(async (transaction) => {
    const unshared = await transaction.query(lockUnshared, [domain, slot, earlier.epoch]);
    if (unshared.length === 0 || !(await mayOpen(transaction))) return 0;
    return transaction.execute(openNext, [token, domain, slot, earlier.epoch]);
  }, soon);
  return opened === 0 ? undefined : { epoch: earlier.epoch + 2, token: token.toString("hex"), isOpen: true };
}

/** Closes the earlier epoch, unless a transaction still shares it, or it is the newest one on a server that was
 * promoted meanwhile. Waits for none. */
export async function closeEarlier(
  database: Pick<Database, "transaction">,
  domain: string,
  { earlier }: Epochs,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if ((await findEpochs(transaction, domain))?.earlier.epoch !== earlier.epoch) return;
    const unshared = await transaction.query(lockUnshared, [domain, earlier.epoch % 2, earlier.epoch]);
    if (unshared.length > 0) await transaction.execute(closeOne, [domain, earlier.epoch % 2]);
  }, soon);
}

/** ms since 1970. */
export async function clockOf(reader: SqlReader): Promise<number> {
  const [row] = await reader.query<{ now: number }>("SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS UNSIGNED) AS now");
  return row?.now ?? 0;
}

/** Adds the rows of domains that have none. May be repeated. */
export async function addEpochs(transaction: SqlTransaction, domains: readonly string[]): Promise<void> {
  const token = Buffer.alloc(8);
  await transaction.upsert(
    insertEpochs,
    domains.flatMap((domain) => [
      [domain, 0, 0, token, 0],
      [domain, 1, 1, token, 1],
    ]),
  );
}

function withoutRows(domain: string): Error {
  return new UnexpectedState(`ledger_epochs has no rows of ${domain}: run "tally migrate"`);
}
