import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { runCommand, ServiceError } from "../process/run-command.ts";
import { until, Waits } from "../process/until.ts";
import { type ServerContext, filledTemplate } from "./context.ts";
import { dataDirectory, firstOptions, mariadb, mysql, databaseServer } from "./database-server.ts";
import type { DatabaseEngine, DatabasePrograms, DatabaseRole, DatabaseParts, Sql } from "./database-server.ts";

/** A primary and read-only replicas that follow it by GTID, not started yet. */
export async function database(
  name: string,
  programs: DatabasePrograms,
  ports: { readonly primary: number; readonly replicas: readonly number[] },
  context: ServerContext,
) {
  const { output } = await runCommand(programs.server, ["--no-defaults", "--version"], context);
  const engine = output.includes("MariaDB") ? mariadb : mysql; // `mysqld` can be either
  const parts = { engine, programs, context };
  // A replica that a fault drill starts again continues at its position. At the first start, start() makes it follow
  // the primary.
  let following = false;
  const isPromotable = ports.replicas.length > 1;
  const primary = await databaseServer(
    { role: "primary", port: ports.primary, id: 1, isPromotable: false },
    parts,
    async () => undefined,
  );
  const replicas = await Promise.all(
    ports.replicas.map(async (port, index) => {
      const role: DatabaseRole = isPromotable ? `replica-${index + 1}` : "replica";
      const plan = { role, port, id: index + 2, isPromotable };
      const replica = await databaseServer(plan, parts, async (sql) => following && sql("START REPLICA"));
      return { ...replica, role };
    }),
  );
  const roles = replicas.map(({ role }) => role);

  const { waits = new Waits() } = context;
  const start = async (): Promise<void> => {
    const copied = await waits.during("the database's files", () => prepareData(roles, parts));
    await Promise.all([primary, ...replicas].map(({ server }) => server.start()));
    // There are no writes yet, so the primary is still at the position of the copies.
    const position = await positionOf(primary.sql, engine);
    for (const { role, sql } of replicas.filter((replica) => copied.includes(replica.role))) {
      // Empty: the primary has no log yet. A copy of a promoted replica has that replica's position.
      await sql(engine.adoptPosition(position));
      await rm(unadoptedFile(role, context));
    }
    await primary.sql(await accounts(name, engine, context));
    const follow = engine.follow(ports.primary, "tally_replication", context.passwords.databaseReplication);
    for (const { sql } of replicas) await sql(`${follow}; START REPLICA`);
    following = true;
    await waits.during("the replica to catch up", async () => {
      for (const { sql } of replicas) await untilCaughtUp(primary.sql, sql, engine, context.signal);
    });
  };

  /** Prepares the data and starts all servers. Resolves when the replicas have everything that the primary has. */
  const startOrRebuild = async (): Promise<void> => {
    try {
      await start();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "replica-broken") throw error;
      context.say("The database replica cannot continue from its position: rebuilding it");
      following = false;
      await Promise.all([primary.server.stop(), ...replicas.map(({ server }) => server.stop({ atOnce: true }))]);
      for (const role of roles) await rm(dataDirectory(role, context), { recursive: true, force: true }); // start() copies it again
      await start();
    }
  };

  /** Ends both servers at once, and starts the primary with the data of the replica, the replica with a copy of it.
   * Nothing may be written until it resolves. Not for several replicas. */
  const promoteReplica = async (): Promise<void> => {
    await Promise.all([primary, ...replicas].map(({ server }) => server.stop({ atOnce: true })));
    following = false;
    const data = dataDirectory("primary", context);
    await rm(data, { recursive: true });
    await rename(dataDirectory("replica", context), data);
    for (const file of await readdir(data)) if (replicaOnly.test(file)) await rm(join(data, file));
    await start();
  };
  return { primary, replicas, start: startOrRebuild, promoteReplica };
}

/** Creates missing data, each folder under another name first. Returns the copied replicas: they need a position. */
async function prepareData(
  roles: readonly DatabaseRole[],
  { engine, programs, context }: DatabaseParts,
): Promise<readonly DatabaseRole[]> {
  const primary = dataDirectory("primary", context);
  if (!existsSync(primary)) {
    context.say(`Preparing a ${engine.name} primary and replica (first start)`);
    await rm(`${primary}.new`, { recursive: true, force: true });
    await mkdir(`${primary}.new`, { mode: 0o700 });
    const options = await firstOptions("primary", context, `${primary}.new`);
    await engine.initialise(options, programs, context);
    for (const role of roles) await rm(dataDirectory(role, context), { recursive: true, force: true });
    await rename(`${primary}.new`, primary);
  }
  const toCopy = roles.filter(
    (role) => !existsSync(dataDirectory(role, context)) || existsSync(unadoptedFile(role, context)),
  );
  for (const role of toCopy) {
    const replica = dataDirectory(role, context);
    await rm(replica, { recursive: true, force: true });
    await rm(`${replica}.new`, { recursive: true, force: true });
    await writeFile(unadoptedFile(role, context), "");
    await cp(primary, `${replica}.new`, { recursive: true, filter: (path) => !primaryOnly.test(basename(path)) });
    await rename(`${replica}.new`, replica);
  }
  return toCopy;
}

// The binary log, and the server id that MySQL writes into the folder.
const primaryOnly = /^(binlog\..*|auto\.cnf)$/;
// The relay log, where it comes from, and MySQL's server id.
const replicaOnly = /^(relay[.-].*|master\.info|auto\.cnf)$/;

const unadoptedFile = (role: DatabaseRole, context: ServerContext): string =>
  `${dataDirectory(role, context)}.unadopted`;

const catchUpWithinMs = 120_000;

// Repeated at every start; the replica gets them by replication. The accounts are for this database and for those whose
// names begin with its name (tests create some). None has a privilege that bypasses read_only.
const accounts = (name: string, engine: DatabaseEngine, { passwords }: ServerContext): Promise<string> =>
  filledTemplate("mysql/accounts.sql", {
    ...passwords,
    admin: passwords.database,
    replication: passwords.databaseReplication,
    database: name,
    databases: `${name.replaceAll("_", "\\_")}%`,
    from: "127.0.0.1",
    lag: engine.lagPrivileges,
  });

/** Throws `replica-broken` when the replica has stopped, e.g. because the primary's log no longer reaches back to its
 * position. */
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
    { withinMs: catchUpWithinMs, signal },
  );
  if (!caughtUp) throw new ServiceError("server-failed", "database-replica does not catch up with database-primary.");
}

/** The client prints a line break within a value as `\n`. */
const positionOf = async (sql: Sql, engine: DatabaseEngine): Promise<string> =>
  (await sql(engine.selectPosition)).replaceAll("\\n", "");
