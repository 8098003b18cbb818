import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { openTcpProxy } from "@tally/lab";
import { freePorts, startPrivateServices, startSystem, type Accounts, type Addresses } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { atEnd } from "./at-end.ts";
import { expectAllKept } from "./audit-of.ts";
import { keepSending } from "./keep-sending.ts";

const here = join(import.meta.dirname, "..");

/** A system that reaches the primary by a name that can move to another server, as the DNS name of a write endpoint does. */
async function openSystem() {
  const namespace = `t${randomBytes(4).toString("hex")}`;
  const directory = join(here, ".tally", `test-apps-${namespace}`);
  const [port = 0] = await freePorts(1);
  let proxy: Awaited<ReturnType<typeof openTcpProxy>> | undefined;
  const named = (addresses: Addresses): Addresses => {
    const url = new URL(addresses.databaseWriteUrl);
    url.port = String(port);
    return { ...addresses, databaseWriteUrl: url.href };
  };
  const system = await startSystem({
    root: here,
    directory,
    database: "tally_test",
    namespace,
    async services(own) {
      const services = await startPrivateServices(own);
      const { gateway, writer, ranker, maintenance } = services.accounts;
      proxy = await openTcpProxy(services.addresses.databaseWriteUrl, { port });
      const accounts: Accounts = {
        gateway: named(gateway),
        writer: named(writer),
        ranker: named(ranker),
        maintenance: named(maintenance),
      };
      return { ...services, addresses: named(services.addresses), accounts };
    },
    environment: { PATH: process.env["PATH"], HEALTH_KEPT_MS: "0" },
    instances: { gateway: 2, writer: 2 },
    say: () => undefined,
  });
  atEnd(async () => {
    await system.stop();
    await proxy?.close();
    await rm(directory, { recursive: true, force: true });
  });
  /** Ends the name's connections; from now on it leads to the former replica. */
  const moveName = async () => {
    await proxy?.close();
    proxy = await openTcpProxy(system.addresses.databaseReadUrl, { port });
  };
  return { system, operator: system.services.operator, moveName };
}

type Opened = Awaited<ReturnType<typeof openSystem>>;

const promote = "STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = OFF";

/** A switchover: nothing is written while the replica catches up. */
async function switchOver({ operator, moveName }: Opened): Promise<void> {
  await operator.sql("SET GLOBAL read_only = ON");
  const position = await operator.sql("SELECT @@GLOBAL.gtid_binlog_pos");
  expect(await operator.replicaSql(`SELECT MASTER_GTID_WAIT('${position}', 60)`)).toBe("0");
  await operator.replicaSql(promote);
  await moveName();
}

/** The primary dies; the replica has all commits that were acknowledged, because it confirms each of them (semi-synchronous). */
async function failOver({ system, operator, moveName }: Opened): Promise<void> {
  system.server("database-primary").kill("SIGKILL");
  const hasApplied = async () =>
    expect(await operator.replicaSql("SHOW SLAVE STATUS")).toContain("has read all relay log");
  await vi.waitFor(hasApplied, 30_000);
  await operator.replicaSql(promote);
  await moveName();
}

test.each([
  ["a planned switchover", switchOver],
  ["the death of the primary, with semi-synchronous replication", failOver],
])("%s under load loses and doubles nothing", { timeout: 300_000 }, async (_, change) => {
  const opened = await openSystem();
  const { system, operator } = opened;
  // Promotion is MariaDB's here. The apps know nothing of it.
  expect(await operator.sql("SELECT VERSION()")).toContain("MariaDB");
  await operator.sql(
    "SET GLOBAL rpl_semi_sync_master_timeout = 600000, GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC",
  );
  await operator.replicaSql("SET GLOBAL rpl_semi_sync_slave_enabled = ON; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD");
  await operator.sql("SET GLOBAL rpl_semi_sync_master_enabled = ON");

  const clients = keepSending(system.urls, 8);
  onTestFinished(() => clients.stop().then(() => undefined));
  const more = async () => {
    const before = clients.count;
    await vi.waitFor(() => expect(clients.count).toBeGreaterThan(before + 500), 60_000);
  };
  await more();
  await change(opened);
  await more();
  const { ids } = await clients.stop();
  await expectAllKept(system, [...ids.values()]);
});
