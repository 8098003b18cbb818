import type { PrivateServices } from "@tally/local";
import { expect, vi } from "vitest";

/** A MariaDB primary and its replicas, and what an operator does with them as docs/servers.md describes it. */
interface DatabaseNodes {
  readonly replicas: readonly DatabaseReplica[];
  /** From now on a commit succeeds only when a replica has it, on the primary and on each replica that is promoted. */
  replicateSemiSynchronously(): Promise<void>;
  /** The primary is dead: promotes the replica that has most, and lets the others follow it. */
  promoteAfterDeath(): Promise<DatabaseReplica>;
  /** A planned switch from a promoted replica to another one, which it then follows. Nothing is written meanwhile. */
  switchOver(from: DatabaseReplica, to: DatabaseReplica): Promise<void>;
}

interface DatabaseReplica {
  readonly port: number;
  readonly sql: (text: string) => Promise<string>;
}

export async function openDatabaseNodes({ servers, operator }: PrivateServices): Promise<DatabaseNodes> {
  expect(await operator.sql("SELECT VERSION()")).toContain("MariaDB");
  const replicas = servers
    .filter(({ name }) => name.startsWith("database-replica"))
    .map(({ port }, index) => ({ port, sql: (text: string) => operator.replicaSql(text, index + 1) }));
  // Host, user and password stay as they are.
  const follow = (replica: DatabaseReplica, { port }: DatabaseReplica): Promise<string> =>
    replica.sql(`STOP SLAVE; CHANGE MASTER TO MASTER_PORT = ${port}, MASTER_USE_GTID = slave_pos; START SLAVE`);

  return {
    replicas,

    async replicateSemiSynchronously() {
      const settings = "rpl_semi_sync_master_timeout = 600000, GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC";
      for (const { sql } of replicas)
        await sql(
          `SET GLOBAL ${settings}, GLOBAL rpl_semi_sync_slave_enabled = ON; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD`,
        );
      await operator.sql(`SET GLOBAL ${settings}, GLOBAL rpl_semi_sync_master_enabled = ON`);
    },

    async promoteAfterDeath() {
      const positions = await Promise.all(replicas.map(positionWhenApplied));
      const most = Math.max(...positions);
      const promoted = replicas[positions.indexOf(most)] ?? expect.fail("there is no replica");
      await promoted.sql(promote);
      await Promise.all(replicas.filter((one) => one !== promoted).map((one) => follow(one, promoted)));
      return promoted;
    },

    async switchOver(from, to) {
      await from.sql("SET GLOBAL read_only = ON");
      const position = await from.sql("SELECT @@GLOBAL.gtid_binlog_pos");
      expect(await to.sql(`SELECT MASTER_GTID_WAIT('${position}', 60)`)).toBe("0");
      await to.sql(promote);
      const demote =
        "SET GLOBAL rpl_semi_sync_master_enabled = OFF; SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_binlog_pos";
      await from.sql(demote);
      await follow(from, to);
    },
  };
}

const promote = "STOP SLAVE; RESET SLAVE; SET GLOBAL rpl_semi_sync_master_enabled = ON, GLOBAL read_only = OFF";

/** The position of a replica when it has applied all that it has received. */
async function positionWhenApplied({ sql }: DatabaseReplica): Promise<number> {
  // Not connected, and nothing left to apply.
  const applied = /\t(No|Connecting)\tYes\t.*has read all relay log/s;
  await vi.waitFor(async () => expect(await sql("SHOW SLAVE STATUS")).toMatch(applied), 60_000);
  // Domain, server and sequence, such as 0-1-57.
  return Number((await sql("SELECT @@GLOBAL.gtid_slave_pos")).split("-").at(-1));
}
