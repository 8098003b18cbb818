import dns from "node:dns";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accountsOf, addressVariables, freePorts, startApps, startPrivateServices, type Addresses } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { atEnd, temporaryDirectory } from "@tally/local/at-end";
import { makeCertificates } from "./kit/fronts.ts";
import { root, startApp } from "./kit/programs.ts";
import { sold, untilRanked } from "./kit/sales.ts";
import { openDatabase } from "./kit/system.ts";
import { runTally, withoutProgress } from "./kit/tally.ts";

const directory = await temporaryDirectory();
const say = (): void => undefined;
const { authority, certificate, key } = makeCertificates(directory, "localhost");
const [amqps = 0, rediss = 0] = await freePorts(2);
const services = await startPrivateServices({
  directory: join(directory, "services"),
  database: "tally_tls_test",
  redoLogMiB: 64,
  say,
  configuration: {
    redis: [
      `tls-port ${rediss}`,
      `tls-cert-file ${certificate}`,
      `tls-key-file ${key}`,
      `tls-ca-cert-file ${authority}`,
      "tls-auth-clients no",
    ],
    rabbitmq: [
      `listeners.ssl.default = 127.0.0.1:${amqps}`,
      `ssl_options.certfile = ${certificate}`,
      `ssl_options.keyfile = ${key}`,
      `ssl_options.cacertfile = ${authority}`,
      "ssl_options.verify = verify_none",
    ],
    database: [`--ssl-cert=${certificate}`, `--ssl-key=${key}`, `--ssl-ca=${authority}`],
  },
});
atEnd(() => services.stop());
// From here on the database rejects connections without TLS.
const users = ["tally", "tally_gateway", "tally_writer", "tally_ranker", "tally_maintenance"];
await services.operator.sql(users.map((user) => `ALTER USER ${user}@127.0.0.1 REQUIRE SSL;`).join(" "));

/** The same servers over TLS, addressed by name. */
function secured({ amqpUrl, databaseWriteUrl, databaseReadUrl, redisUrl }: Addresses): Addresses {
  const changed = (url: string, change: (parsed: URL) => void): string => {
    const parsed = new URL(url);
    parsed.hostname = "localhost";
    change(parsed);
    return parsed.href;
  };
  return {
    amqpUrl: changed(amqpUrl, (url) => (url.port = String(amqps))).replace("amqp:", "amqps:"),
    redisUrl: changed(redisUrl, (url) => (url.port = String(rediss))).replace("redis:", "rediss:"),
    databaseWriteUrl: changed(databaseWriteUrl, ({ searchParams }) => {
      searchParams.set("ssl-mode", "VERIFY_IDENTITY");
      searchParams.set("ssl-ca", authority);
    }),
    // Its authority comes from NODE_EXTRA_CA_CERTS, like those of broker and Redis.
    databaseReadUrl: changed(databaseReadUrl, ({ searchParams }) => searchParams.set("ssl-mode", "VERIFY_IDENTITY")),
  };
}

test("a purchase is acknowledged, stored and ranked with TLS to every server, and audited", async () => {
  const environment = { PATH: process.env["PATH"], NODE_EXTRA_CA_CERTS: authority, WRITER_THREADS: "1" };
  const accounts = accountsOf((role) => secured(services.accounts[role]));
  const own = { directory: join(directory, "apps"), addresses: secured(services.addresses), accounts };
  const apps = await startApps({ root, ...own, port: 0, environment, say });
  onTestFinished(() => apps.stop());
  const id = await sold(apps.url, 1, { item: 7, quantity: 3 });
  await untilRanked(apps.url, id);
  expect(await (await fetch(`${apps.url}/items/store/1`)).text()).toBe('{"stores":[{"itemID":7,"numberOfItems":3}]}');
  const audited = await runTally({ namespace: "tally", addresses: accounts.maintenance }, ["audit"], environment);
  expect([audited.exitCode, withoutProgress(audited.errors)]).toEqual([0, ""]);

  const connections = await services.operator.rabbitmqctl("--quiet", "list_connections", "user", "ssl");
  for (const user of ["tally_gateway", "tally_writer", "tally_ranker"]) {
    expect(connections).toMatch(new RegExp(`^${user}\\ttrue$`, "m"));
    expect(connections).not.toMatch(new RegExp(`^${user}\\tfalse$`, "m"));
  }
  for (const user of ["tally_gateway", "tally_ranker"]) {
    const clients = await services.operator.redis("CLIENT LIST TYPE normal");
    const ofUser = clients.split("\n").filter((line) => line.includes(`user=${user} `));
    expect(ofUser.length).toBeGreaterThan(0);
    for (const line of ofUser) expect(line).toContain(`laddr=127.0.0.1:${rediss} `);
  }
  // Without TLS the database rejects the same accounts.
  const plain = { namespace: "tally", addresses: services.accounts.maintenance };
  expect((await runTally(plain, ["dead-letters", "list"])).exitCode).not.toBe(0);
  for (const { logFile } of [apps.gateway, apps.writer, apps.ranker]) {
    // On a busy machine a server that was reached may respond late.
    const lines = readFileSync(logFile, "utf8")
      .split("\n")
      .filter((line) => !line.includes("Command timed out"));
    expect(lines.join("\n")).not.toMatch(/cannot (connect to Redis|use the database)|certificate/);
  }
});

/** An app logs for this reason that it cannot connect to the broker and to Redis. */
async function expectRejected(app: string, addresses: Addresses, reason: string, more: NodeJS.ProcessEnv = {}) {
  const ports = { PORT: "0", GATEWAY_HEALTH_PORT: "0", RANKER_HEALTH_PORT: "0" };
  const own = { PATH: process.env["PATH"], HOST: "127.0.0.1", LOG_LEVEL: "trace", QUERY_WITHIN_MS: "500", ...more };
  const started = startApp(app, { ...own, ...ports, ...addressVariables(addresses) });
  await vi.waitFor(() => {
    for (const server of ["the broker; retrying", "Redis"])
      expect(started.output()).toMatch(new RegExp(`${reason}.*cannot connect to ${server}`));
  }, 120_000);
  await started.stop();
}

test("certificates of an unknown authority are rejected, and the log names the reason", async () => {
  const own = secured(services.accounts.ranker);
  const databaseWriteUrl = own.databaseReadUrl.replace(/:\d+\//, `:${new URL(own.databaseWriteUrl).port}/`);
  const reason =
    "(self-signed certificate in certificate chain|unable to (get local issuer|verify the first) certificate)";
  await expectRejected("ranker", { ...own, databaseWriteUrl }, reason);
  const database = openDatabase({ addresses: { ...own, databaseWriteUrl }, queryTimeoutMs: 30_000 });
  for (const reader of [database.writer, database.reader]) {
    await expect(reader.query("SELECT 1")).rejects.toThrow(new RegExp(`the database is unavailable: ${reason}`));
  }
});

test("a certificate for another name is rejected", async () => {
  const own = secured(services.accounts.gateway);
  const byAddress = (url: string): string => url.replace("@localhost", "@127.0.0.1");
  const addresses = { ...own, amqpUrl: byAddress(own.amqpUrl), redisUrl: byAddress(own.redisUrl) };
  const reason = String.raw`Hostname\/IP does not match certificate's altnames`;
  await expectRejected("gateway", addresses, reason, { NODE_EXTRA_CA_CERTS: authority });

  // The database driver checks names only: this one resolves to localhost and is not in the certificate.
  const { lookup } = dns;
  onTestFinished(() => void (dns.lookup = lookup));
  Reflect.set(dns, "lookup", (_: string, ...rest: readonly unknown[]): unknown =>
    Reflect.apply(lookup, dns, ["localhost", ...rest]),
  );
  const readerOf = (url: string) =>
    openDatabase({ addresses: { databaseWriteUrl: url, databaseReadUrl: url }, queryTimeoutMs: 30_000 }).reader;
  expect(await readerOf(own.databaseWriteUrl).query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  const wrong = readerOf(own.databaseWriteUrl.replace("@localhost", "@database.test"));
  await expect(wrong.query("SELECT 1")).rejects.toThrow(/the database is unavailable: Hostname\/IP does not match/);
});
