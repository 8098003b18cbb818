import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { addressVariables, type Addresses, type System } from "@tally/local";
import { expect, inject, test } from "vitest";
import { startApp, startGateway } from "./kit/programs.ts";
import { sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { bearer, keysCommand, runTally } from "./kit/tally.ts";

/* No log, response or error holds a password or an API key. */

const kinds = ["amqpUrl", "databaseWriteUrl", "databaseReadUrl", "redisUrl"] as const;
// As written in a URL; decoded it has other characters.
const wrong = `wrong%2F${randomBytes(6).toString("hex")}%40x`;
const secretsOf = (...all: readonly Addresses[]): readonly string[] => [
  ...new Set(all.flatMap((addresses) => kinds.map((kind) => new URL(addresses[kind]).password))),
  wrong,
  decodeURIComponent(wrong),
];
const wrongIn = (addresses: Addresses, ...wrongKinds: readonly (typeof kinds)[number][]): Addresses => ({
  ...addresses,
  ...Object.fromEntries(wrongKinds.map((kind) => [kind, addresses[kind].replace(/:[^:@/]+@/, `:${wrong}@`)])),
});

/** Every log file below a folder by its path: files in a folder named `log`, and those named `*.log`. */
function logTexts(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const isLog = (file: string): boolean => file.endsWith(".log") || file.split(sep).includes("log");
  return new Map(files.filter(isLog).map((file) => [file, readFileSync(file, "utf8")]));
}

function expectNoSecret(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    const at = text.indexOf(secret);
    expect(at < 0 ? "" : `a secret in: …${text.slice(Math.max(0, at - 300), at + 60)}`).toBe("");
  }
}

const environmentOf = (system: System, addresses: Addresses): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NAMESPACE: system.namespace,
  LOG_LEVEL: "trace",
  HOST: "127.0.0.1",
  AUTH: "off",
  PORT: "0",
  GATEWAY_HEALTH_PORT: "0",
  WRITER_HEALTH_PORT: "0",
  RANKER_HEALTH_PORT: "0",
  WRITER_THREADS: "1",
  QUERY_WITHIN_MS: "500",
  ...addressVariables(addresses),
});

const logged = (app: { output(): string }, what: RegExp): Promise<void> =>
  expect.poll(() => app.output(), { timeout: 120_000 }).toMatch(what);

/** Uses a new API key and a wrong one with its id once each. Returns them with the log of the gateway. */
async function usedApiKeys(system: System) {
  const { key } = await keysCommand(system, "create", "--name", "a test", "--scope", "*:read", "*:write");
  const [secret, wrongSecret] = [key.slice(-43), randomBytes(32).toString("base64url")];
  const gateway = await startGateway(system, { AUTH: "required", LOG_LEVEL: "trace" });
  const statusOf = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(`${gateway.url}/items/store/1`, { headers })).status;
  expect(await statusOf(bearer(key))).toBe(200);
  expect(await statusOf({ "x-api-key": key.replace(secret, wrongSecret) })).toBe(401);
  await gateway.stop();
  return { secrets: [secret, wrongSecret], log: gateway.output() };
}

async function textsOf(system: System): Promise<readonly string[]> {
  await sold(system.url, 1, { quantity: 3 });
  const urls = ["/health/ready", "/metrics"].map((path) => `${system.operatorUrls[0]}${path}`);
  for (const { port } of [system.writer, system.ranker]) urls.push(`http://127.0.0.1:${port}/metrics`);
  const texts = await Promise.all([...urls, `${system.url}/purchases`].map(async (url) => (await fetch(url)).text()));
  for (const args of [["audit"], ["audit", "--help"]]) {
    const { output, errors } = await runTally(system, args, { LOG_LEVEL: "trace" });
    texts.push(output, errors);
  }
  return texts;
}

/** What apps log, respond and print whose passwords the servers reject. */
async function textsOfRejected(system: System): Promise<readonly string[]> {
  const { accounts } = system;
  const start = (app: "gateway" | "writer" | "ranker", ...wrongKinds: readonly (typeof kinds)[number][]) =>
    startApp(app, environmentOf(system, wrongIn(accounts[app], ...wrongKinds)));
  const noBroker = (["gateway", "writer", "ranker"] as const).map((app) => start(app, "amqpUrl"));
  const [noRows, noRedis] = [start("ranker", "databaseWriteUrl", "databaseReadUrl"), start("ranker", "redisUrl")];
  const gateway = start("gateway", "databaseReadUrl", "databaseWriteUrl", "redisUrl");
  await Promise.all([
    ...noBroker.map((app) => logged(app, /cannot connect to the broker; retrying/)),
    ...[gateway, noRedis].map((app) => logged(app, /cannot connect to Redis|WRONGPASS/)),
    logged(noRows, /cannot use the database/),
  ]);
  const listening = /"port":(\d+),"msg":"gateway: listening"/;
  await logged(gateway, listening);
  const texts: string[] = [];
  for (const path of ["/items/store/1", "/purchases?limit=1", "/matches/1"]) {
    const response = await fetch(`http://127.0.0.1:${listening.exec(gateway.output())?.[1]}${path}`);
    // A route that does not exist would prove nothing.
    expect([path, response.status]).not.toEqual([path, 404]);
    texts.push(await response.text());
  }
  await logged(gateway, /cannot use the database/);
  const rejected = [...noBroker, noRows, noRedis, gateway];
  for (const app of rejected) await app.stop();
  // A writer that gets messages and cannot store them.
  await system.writer.stop();
  const writer = start("writer", "databaseWriteUrl", "databaseReadUrl");
  await sold(system.url, 1);
  await logged(writer, /cannot use the database/);
  await writer.stop();
  const audits = kinds.map(async (kind) => {
    const wronglyAddressed = { ...system, addresses: wrongIn(accounts.maintenance, kind) };
    const { output, errors } = await runTally(wronglyAddressed, ["audit", "--wait", "2"], { LOG_LEVEL: "trace" });
    texts.push(output, errors);
  });
  await Promise.all(audits);
  return [...texts, writer.output(), ...rejected.map((app) => app.output())];
}

test("no log and no response holds a password, in normal operation or while servers reject the passwords", async () => {
  const system = await startSystem({ LOG_LEVEL: "trace" });
  const apiKeys = await usedApiKeys(system);
  const texts = [...(await textsOf(system)), ...(await textsOfRejected(system)), apiKeys.log];
  await system.ranker.stop();
  const logs = logTexts(dirname(system.gateway.logFile));
  for (const { logFile } of [system.gateway, system.writer, system.ranker])
    expect(logs.get(logFile)).toContain('"level":"info"');
  texts.push(...logs.values());

  const secrets = [...secretsOf(system.addresses, ...Object.values(system.accounts)), ...apiKeys.secrets];
  // Empty unless the servers are installed programs.
  const directory = inject("servicesDirectory");
  if (directory !== "") {
    // Some are in no address, such as that of replication.
    secrets.push(...Object.values<string>(JSON.parse(readFileSync(join(directory, "passwords.json"), "utf8"))));
    const serverLogs = logTexts(directory);
    for (const name of ["database-primary", "database-replica", "rabbitmq", "redis"])
      expect(serverLogs.get(join(directory, "log", `${name}.log`))).toMatch(/\w/);
    texts.push(...serverLogs.values());
  }
  for (const text of texts) expectNoSecret(text, secrets);
});
