import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { addressVariables, freePorts, type Addresses, type System } from "@tally/local";
import { expect, inject, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { startApp, startGateway } from "./kit/programs.ts";
import { sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { bearer, keysCommand, runTally } from "./kit/tally.ts";

const kinds = ["amqpUrl", "databaseWriteUrl", "databaseReadUrl", "redisUrl"] as const;
// As written in a URL; decoded it has other characters.
const wrong = `wrong%2F${randomBytes(6).toString("hex")}%40x`;
const secretsOf = (...all: readonly Addresses[]): readonly string[] => [
  ...new Set(all.flatMap((addresses) => kinds.map((kind) => new URL(addresses[kind]).password))),
  wrong,
  decodeURIComponent(wrong),
];

const withPassword = (url: string, password: string): string => url.replace(/:[^:@/]+@/, `:${password}@`);
const wrongIn = (addresses: Addresses, ...wrongKinds: readonly (typeof kinds)[number][]): Addresses => ({
  ...addresses,
  ...Object.fromEntries(wrongKinds.map((kind) => [kind, withPassword(addresses[kind], wrong)])),
});

/** Passwords of the servers that no address contains, such as that of replication. */
function passwordsOfServers(): readonly string[] {
  const directory = inject("servicesDirectory");
  if (directory === "") return [];
  return Object.values(JSON.parse(readFileSync(join(directory, "passwords.json"), "utf8")));
}

/** Every log file below a folder by its path: files in a folder named `log`, and those named `*.log`. */
function logTexts(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const isLog = (file: string): boolean => file.endsWith(".log") || file.split(sep).includes("log");
  return new Map(files.filter(isLog).map((file) => [file, readFileSync(file, "utf8")]));
}

/** Uses a new API key and a wrong one with its id once each. Returns them with the log of the gateway. */
async function usedApiKeys(system: System): Promise<{ readonly secrets: readonly string[]; readonly log: string }> {
  const { key } = await keysCommand(system, "create", "--name", "a test", "--scope", "*:read", "*:write");
  const secret = key.slice(-43);
  const wrongSecret = randomBytes(32).toString("base64url");
  const gateway = await startGateway(system, { AUTH: "required", LOG_LEVEL: "trace" });
  const statusOf = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(`${gateway.url}/items/store/1`, { headers })).status;
  expect(await statusOf(bearer(key))).toBe(200);
  expect(await statusOf({ "x-api-key": key.replace(secret, wrongSecret) })).toBe(401);
  await gateway.stop();
  return { secrets: [secret, wrongSecret], log: gateway.output() };
}

function expectNoSecret(text: string, secrets: readonly string[]): void {
  expect(secrets.length).toBeGreaterThanOrEqual(3);
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

test("no log and no response holds a password, in normal operation or while servers reject the passwords", async () => {
  const system = await startSystem({ LOG_LEVEL: "trace" });
  const { accounts } = system;
  const apiKeys = await usedApiKeys(system);
  const secrets = [
    ...secretsOf(system.addresses, ...Object.values(accounts)),
    ...passwordsOfServers(),
    ...apiKeys.secrets,
  ];
  await sold(system.url, 1, { quantity: 3 });
  await vi.waitFor(
    async () => expect(await (await fetch(`${system.url}/items/store/1`)).text()).toContain('"numberOfItems":3'),
    20_000,
  );
  const responses = [
    ...(await Promise.all(["/health/ready", "/metrics"].map((path) => fetch(`${system.operatorUrls[0]}${path}`)))),
    await fetch(`${system.url}/purchases`),
    await fetch(`http://127.0.0.1:${system.writer.port}/metrics`),
    await fetch(`http://127.0.0.1:${system.ranker.port}/health/ready`),
  ];
  const texts = await Promise.all(responses.map((response) => response.text()));
  for (const args of [["audit"], ["dead-letters", "list"], ["audit", "--help"]]) {
    const { output, errors } = await runTally(system, args, { LOG_LEVEL: "trace" });
    texts.push(output, errors);
  }

  const [operatorPort] = await freePorts(1);
  // Further apps, each rejected by one of the servers.
  const refused = [
    startApp("gateway", environmentOf(system, wrongIn(accounts.gateway, "amqpUrl"))),
    startApp("gateway", {
      ...environmentOf(system, wrongIn(accounts.gateway, "databaseReadUrl", "databaseWriteUrl", "redisUrl")),
      GATEWAY_HEALTH_PORT: String(operatorPort),
    }),
    startApp("writer", environmentOf(system, wrongIn(accounts.writer, "amqpUrl"))),
    startApp("ranker", environmentOf(system, wrongIn(accounts.ranker, "databaseWriteUrl", "databaseReadUrl"))),
    startApp("ranker", environmentOf(system, wrongIn(accounts.ranker, "redisUrl"))),
    startApp("ranker", environmentOf(system, wrongIn(accounts.ranker, "amqpUrl"))),
  ] as const;
  const [noBroker, noRows, writerNoBroker, rankerNoRows, rankerNoRedis, rankerNoBroker] = refused;
  const logged = (app: { output(): string }, what: RegExp) =>
    vi.waitFor(() => expect(app.output()).toMatch(what), { timeout: 40_000, interval: 100 });
  await Promise.all([
    ...[noBroker, writerNoBroker, rankerNoBroker].map((app) => logged(app, /cannot connect to the broker; retrying/)),
    ...[noRows, rankerNoRedis].map((app) => logged(app, /cannot connect to Redis|WRONGPASS/)),
    logged(rankerNoRows, /cannot use the database/),
  ]);

  // Requests to a gateway that its servers reject.
  const listening = /"port":(\d+),"msg":"gateway: listening"/;
  await logged(noRows, listening);
  const url = `http://127.0.0.1:${listening.exec(noRows.output())?.[1]}`;
  const operatorUrl = `http://127.0.0.1:${operatorPort}`;
  for (const asked of [
    `${url}/items/store/1`,
    `${url}/purchases?limit=1`,
    `${url}/matches/1`,
    `${operatorUrl}/health/ready`,
    `${operatorUrl}/metrics`,
  ]) {
    const response = await fetch(asked);
    // A route that does not exist would prove nothing.
    expect([asked, response.status]).not.toEqual([asked, 404]);
    texts.push(`${response.status} ${await response.text()}`);
  }
  await logged(noRows, /cannot use the database/);

  for (const app of refused) await app.stop();
  // A writer that gets messages and cannot store them.
  await system.writer.stop();
  const writerNoRows = startApp(
    "writer",
    environmentOf(system, wrongIn(accounts.writer, "databaseWriteUrl", "databaseReadUrl")),
  );
  await sold(system.url, 1);
  await logged(writerNoRows, /cannot use the database/);
  await writerNoRows.stop();
  for (const kind of kinds) {
    const addresses = wrongIn(accounts.maintenance, kind);
    const { output, errors } = await runTally({ ...system, addresses }, ["audit", "--wait", "2"], {
      LOG_LEVEL: "trace",
    });
    texts.push(output, errors);
  }
  await system.ranker.stop();

  const apps = [system.gateway, system.writer, system.ranker];
  const logs = logTexts(dirname(system.gateway.logFile));
  for (const { logFile } of apps) expect(logs.get(logFile)).toContain('"level":"info"');
  const directory = inject("servicesDirectory");
  const serverLogs = directory === "" ? new Map<string, string>() : logTexts(directory);
  if (directory !== "") {
    for (const name of ["database-primary", "database-replica", "rabbitmq", "redis"]) {
      expect(serverLogs.get(join(directory, "log", `${name}.log`))).toMatch(/\w/);
    }
  }
  for (const text of [
    ...logs.values(),
    ...serverLogs.values(),
    apiKeys.log,
    ...texts,
    ...refused.map((app) => app.output()),
    writerNoRows.output(),
  ]) {
    expectNoSecret(text, secrets);
  }
}, 180_000);

test("no error about a configuration holds a password, from the environment or from files", async () => {
  const system = await startSystem({ LOG_LEVEL: "trace" });
  const directory = await temporaryDirectory();
  const { gateway } = system.accounts;
  const secrets = secretsOf(system.addresses, gateway);
  const environment = environmentOf(system, gateway);
  const file = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content, { mode: 0o600 });
    return join(directory, name);
  };
  const filed = {
    ...environment,
    AMQP_URL: "",
    REDIS_URL: "",
    DATABASE_WRITE_URL: "",
    AMQP_URL_FILE: file("amqp", `${gateway.amqpUrl}\n`),
    REDIS_URL_FILE: file("redis", gateway.redisUrl),
    DATABASE_WRITE_URL_FILE: file("database", gateway.databaseWriteUrl),
  };
  const started = startApp("gateway", filed);
  await vi.waitFor(() => expect(started.output()).toContain("gateway: started"), 20_000);
  expect(await started.stop()).toBe(0);
  expectNoSecret(started.output(), secrets);

  const brokenOnes = [
    [{ ...environment, AMQP_URL_FILE: filed.AMQP_URL_FILE }, "AMQP_URL and AMQP_URL_FILE: expected one of the two"],
    [{ ...filed, AMQP_URL_FILE: gateway.amqpUrl }, "AMQP_URL_FILE: expected the path"],
    [{ ...filed, REDIS_URL_FILE: file("swapped", gateway.amqpUrl) }, "REDIS_URL: expected a URL, redis://"],
    [{ ...environment, PORT: gateway.amqpUrl, LOG_LEVEL: gateway.redisUrl, AMQP_URL: `x${wrong}` }, "LOG_LEVEL: "],
    [
      { ...environment, DATABASE_READ_URL: gateway.databaseReadUrl.replace("mysql:", "mysqlx:") },
      "DATABASE_READ_URL: ",
    ],
  ] as const;
  await Promise.all(
    brokenOnes.map(async ([broken, error]) => {
      const app = startApp("gateway", broken);
      expect(await app.ended()).toBe(2);
      expect(app.output()).toContain(error);
      expectNoSecret(app.output(), secrets);
    }),
  );
}, 120_000);
