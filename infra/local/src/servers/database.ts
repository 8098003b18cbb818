import { filledTemplate, rolePasswords } from "../services/accounts.ts";
import type { ChildServer } from "../process/child-server.ts";
import { discardReplica, prepareDatabaseData, replicaAdopted } from "./database-data.ts";
import { databaseEngine, type DatabaseEngine, type DatabasePrograms } from "./database-engine.ts";
import { databaseServer, type Sql } from "./database-server.ts";
import { ServiceError } from "../process/service-error.ts";
import { until } from "../process/until.ts";
import type { Workshop } from "./context.ts";

export interface Database {
  readonly primary: ChildServer;
  readonly replica: ChildServer;
  /** As the primary's root. */
  readonly sql: Sql;
  /** As the replica's root. */
  readonly replicaSql: Sql;
  /** Prepares the data, starts both servers, and resolves when the replica has all that the primary has. */
  start(): Promise<void>;
}

/** A primary and a read-only replica that follows it by GTID, not started yet. */
export async function database(
  name: string,
  programs: DatabasePrograms,
  ports: { readonly primary: number; readonly replica: number },
  workshop: Workshop,
): Promise<Database> {
  const engine = await databaseEngine(programs, workshop);
  const parts = { engine, programs, workshop };
  // A replica started again by a fault drill goes on where it was; at the first start it is told below whom to follow.
  let following = false;
  const primary = await databaseServer("primary", ports.primary, parts, async () => undefined);
  const replica = await databaseServer(
    "replica",
    ports.replica,
    parts,
    async (sql) => following && sql("START REPLICA"),
  );

  const start = async (): Promise<void> => {
    const copied = await prepareDatabaseData(engine, programs, workshop);
    await Promise.all([primary.server.start(), replica.server.start()]);
    if (copied) {
      // Nobody writes yet, so the primary still stands where it stood when it was copied.
      const position = await positionOf(primary.sql, engine);
      if (position !== "") await replica.sql(engine.adoptPosition(position));
      await replicaAdopted(workshop);
    }
    await primary.sql(await accounts(name, engine, workshop));
    await replica.sql(
      `${engine.follow(ports.primary, REPLICATOR, workshop.passwords.databaseReplication)}; START REPLICA`,
    );
    following = true;
    await untilCaughtUp(primary.sql, replica.sql, engine, workshop.signal);
  };

  const startOrRebuild = async (): Promise<void> => {
    try {
      await start();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "replica-broken") throw error;
      workshop.say("The database replica cannot go on from where it was: building it anew");
      following = false;
      await Promise.all([primary.server.stop({ atOnce: false }), replica.server.stop({ atOnce: true })]);
      await discardReplica(workshop);
      await start();
    }
  };
  return {
    primary: primary.server,
    replica: replica.server,
    sql: primary.sql,
    replicaSql: replica.sql,
    start: startOrRebuild,
  };
}

const REPLICATOR = "tally_replication";
const CATCH_UP_WITHIN_MS = 120_000;

// Repeated at every start; the replica gets them by replication. The accounts are for the database and for those whose names begin with its
// name (tests make some). All are ordinary enough to be stopped by read_only.
const accounts = (name: string, engine: DatabaseEngine, { passwords }: Workshop): Promise<string> =>
  filledTemplate("mysql/accounts.sql", {
    ...rolePasswords(passwords),
    admin: passwords.database,
    replication: passwords.databaseReplication,
    database: name,
    databases: `${name.replaceAll("_", "\\_")}%`,
    from: "127.0.0.1",
    lag: engine.lagPrivileges,
  });

/** Throws `replica-broken` when the replica has stopped, e.g. because the primary's log no longer reaches back to its position. */
async function untilCaughtUp(primary: Sql, replica: Sql, engine: DatabaseEngine, signal: AbortSignal): Promise<void> {
  const position = await positionOf(primary, engine);
  const caughtUp = await until(
    async () => {
      if ((await replica(engine.waitFor(position))) === "0") return true;
      const status = await replica("SHOW REPLICA STATUS", "vertical");
      if (!/_(IO|SQL)_Running: No/.test(status)) return false;
      throw new ServiceError(
        "replica-broken",
        `database-replica stopped:\n${(status.match(/Last_\w+: .+/g) ?? []).join("\n")}`,
      );
    },
    { withinMs: CATCH_UP_WITHIN_MS, signal },
  );
  if (!caughtUp) throw new ServiceError("server-failed", "database-replica does not catch up with database-primary.");
}

/** The client writes a line break within a value as `\n`. */
const positionOf = async (sql: Sql, engine: DatabaseEngine): Promise<string> =>
  (await sql(engine.selectPosition)).replaceAll("\\n", "");
