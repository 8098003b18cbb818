import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { processesNaming, temporaryDirectory } from "../at-end.test-kit.ts";
import type { Server } from "../process/child-server.ts";
import { findProgram, runCommand } from "../process/run-command.ts";
import { openContext } from "../servers/context.ts";
import { mariadb } from "../servers/database-server.ts";
import { redisCommand } from "../servers/redis.ts";
import { sendAndReceive } from "../process/until.ts";
import { findPrograms } from "./installed-programs.ts";
import type { Services, StartOptions } from "./services.ts";
import { startServices } from "./start-services.ts";

const root = await temporaryDirectory();
const started: Services[] = [];
const environment = { PATH: process.env["PATH"] };
const client = findProgram(["mariadb", "mysql"], environment) ?? "mysql";
const { programs } = findPrograms(environment);
beforeEach(({ skip }) => skip(programs === undefined, "this machine has Docker alone"));
const polling = { timeout: 60_000, interval: 50 };

async function start(name: string, keepData: boolean, more: Partial<StartOptions> = {}) {
  const own = { directory: join(root, name), database: "tally_test", keepData, say: () => undefined, environment };
  const services = await startServices({ ...own, services: "programs", ...more });
  started.push(services);
  return services;
}

afterAll(async () => {
  await Promise.all(started.map((services) => services.stop()));
});

/** Runs SQL as the URL's user. Returns the values, or the error. */
async function sql(url: string, text: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const args = ["--no-defaults", "-h", hostname, "-P", port, "-u", username, "-N", "-B", pathname.slice(1)];
  const { output, errors } = await runCommand(client, args, {
    environment: { ...environment, MYSQL_PWD: password },
    input: text,
  });
  return (output + errors).trim();
}

/** Waits until the replica has a row of the table `seen`. */
const replicated = ({ addresses }: Services, id: number) =>
  vi.waitFor(
    async () => expect(await sql(addresses.databaseReadUrl, `SELECT id FROM seen WHERE id = ${id}`)).toBe(`${id}`),
    polling,
  );

const broker = async (name: string, args: readonly string[]): Promise<string> =>
  (await runCommand(join(root, name, "rabbitmqctl"), ["--quiet", ...args], { environment })).output;

const server = ({ servers }: Services, name: string): Server =>
  servers.find((one) => one.name === name) ?? expect.fail(`no server ${name}`);

const processesOf = (name: string) => processesNaming(`=${join(root, name)}\0`);

// Erlang's helper processes end a moment after the VM.
const nothingRuns = (name: string) => vi.waitFor(() => expect(processesOf(name)).toEqual([]), 10_000);

// Two launchers side by side, for all tests.
let kept: Services;
let discarded: Services;
beforeAll(async () => {
  if (programs === undefined) return;
  [kept, discarded] = await Promise.all([start("kept", true), start("discarded", false)]);
  expect(await sql(kept.addresses.databaseWriteUrl, "CREATE TABLE seen (id INT PRIMARY KEY)")).toBe("");
});

test("all servers respond at their addresses; the launchers share no port", async () => {
  const ports = [kept, discarded].flatMap(({ servers }) => servers.map(({ port }) => port));
  expect(new Set(ports).size).toBe(8);
  for (const { addresses, source } of [kept, discarded]) {
    expect(source).toBe("programs");
    expect(await sql(addresses.databaseWriteUrl, "SELECT @@transaction_isolation")).toMatch(/READ-COMMITTED|Unknown/);
    const redis = { port: Number(new URL(addresses.redisUrl).port), password: new URL(addresses.redisUrl).password };
    expect(await redisCommand(redis, "CONFIG GET zset-max-listpack-entries")).toContain("512");
    expect(await redisCommand({ ...redis, password: "wrong" }, "PING")).toMatch(/^-WRONGPASS/);
    expect(await sendAndReceive(redis.port, "PING\r\n")).toMatch(/^-NOAUTH/);
    expect(await sendAndReceive(Number(new URL(addresses.amqpUrl).port), "AMQP\0\0\x09\x01")).toContain("RabbitMQ");
  }
});

test("the replica has what the primary has, and rejects writes", async () => {
  const { databaseWriteUrl, databaseReadUrl } = kept.addresses;
  expect(await sql(databaseWriteUrl, "INSERT INTO seen VALUES (1)")).toBe("");
  await replicated(kept, 1);
  expect(await sql(databaseReadUrl, "INSERT INTO seen VALUES (9)")).toContain("ERROR 1290");
  expect(await sql(databaseReadUrl, "CREATE TABLE other (id INT)")).toContain("ERROR 1290");
  expect(await sql(databaseReadUrl, "SHOW REPLICA STATUS")).toContain("127.0.0.1");
});

test("the user can create databases whose names begin with the given one, and no others; no user connects without a password", async () => {
  const url = kept.addresses.databaseWriteUrl;
  expect(await sql(url, "CREATE DATABASE tally_test_own_test; DROP DATABASE tally_test_own_test")).toBe("");
  expect(await sql(url, "CREATE DATABASE tallyXtest")).toContain("ERROR 1044");
  for (const user of ["root", "tally", "nobody", ""]) {
    expect(await sql(url.replace(/tally:\w+@/, `${user}:@`), "SELECT 1")).toMatch(/ERROR (1045|1698)/);
  }
});

test("the accounts' database takes all characters, whatever the server's default is", async () => {
  const template = readFileSync(new URL("../../../mysql/accounts.sql", import.meta.url), "utf8");
  const create = /^CREATE DATABASE.*/m.exec(template)?.[0].replace("{{database}}", "latin_test");
  const shown = "SELECT default_character_set_name FROM information_schema.schemata WHERE schema_name = 'latin_test'";
  const input = `SET character_set_server = latin1; ${create} ${shown}; DROP DATABASE latin_test`;
  const asRoot = [`--defaults-file=${join(root, "kept", "database-primary.cnf")}`];
  expect(await runCommand(client, [...asRoot, "-N"], { environment, input })).toMatchObject({ output: "utf8mb4\n" });
});

test("a second launcher on a directory in use fails", async () => {
  await expect(start("kept", true)).rejects.toMatchObject({ code: "directory-in-use" });
});

test("a killed server starts again on its port, with its data, and replication continues", async () => {
  expect(await sql(kept.addresses.databaseWriteUrl, "INSERT INTO seen VALUES (2)")).toBe("");
  for (const name of ["database-primary", "database-replica", "redis"]) {
    const one = server(kept, name);
    const before = one.pid;
    one.kill("SIGKILL");
    await one.start();
    expect(one.pid).not.toBe(before);
  }
  expect(await sql(kept.addresses.databaseWriteUrl, "INSERT INTO seen VALUES (3)")).toBe("");
  for (const id of [2, 3]) await replicated(kept, id);
});

test("a stop without keepData leaves no process and no file", async () => {
  expect(processesOf("discarded").length).toBeGreaterThanOrEqual(5);
  await Promise.all([discarded.stop(), discarded.stop()]);
  await nothingRuns("discarded");
  expect(existsSync(join(root, "discarded"))).toBe(false);
});

test("a second start finds rows and durable queues again, and rebuilds a replica whose position is no longer in the log", async () => {
  const queue = { vhost: "/", durable: true, auto_delete: false };
  const names = ["kept", "any.purchases.feed.one"];
  const queues = names.map((name) => Object.assign({ name, arguments: { "x-queue-type": "quorum" } }, queue));
  writeFileSync(join(root, "definitions.json"), JSON.stringify({ queues }));
  await broker("kept", ["import_definitions", join(root, "definitions.json")]);
  await vi.waitFor(async () => {
    const listed = await broker("kept", ["list_queues", "name", "policy"]);
    for (const line of [/^kept\b/m, /feed\.one\ttally_subscribers$/m]) expect(listed).toMatch(line);
  }, polling);
  server(kept, "database-replica").kill("SIGKILL");
  await sql(kept.addresses.databaseWriteUrl, "INSERT INTO seen VALUES (4)");
  const asRoot = [`--defaults-file=${join(root, "kept", "database-primary.cnf")}`];
  const input = "FLUSH BINARY LOGS; PURGE BINARY LOGS BEFORE NOW() + INTERVAL 1 DAY; SHOW BINARY LOGS";
  await vi.waitFor(async () => {
    const { output } = await runCommand(client, [...asRoot, "-N"], { environment, input });
    expect(output.trim().split("\n")).toHaveLength(1); // a log that the dead replica's connection still reads is purged later
  }, polling);
  await kept.stop();
  await nothingRuns("kept");

  const lines: string[] = [];
  const again = await start("kept", true, { say: (line) => lines.push(line) });
  expect(lines.filter((line) => line.includes("rebuilding it"))).toHaveLength(1);
  expect(await sql(again.addresses.databaseReadUrl, "SELECT id FROM seen WHERE id = 4")).toBe("4");
  const states = () => broker("kept", ["list_queues", "name", "state"]);
  await vi.waitFor(async () => expect(await states()).toContain("kept\trunning"), polling);
  expect(await sql(again.addresses.databaseWriteUrl, "INSERT INTO seen VALUES (5)")).toBe("");
  await replicated(again, 5);
  await again.stop();
});

test("a server that cannot start is reported with the end of its log, and the others are stopped", async () => {
  const folder = join(root, "broken", "redis", "appendonlydir");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "appendonly.aof.manifest"), "no manifest\n");
  await expect(start("broken", false)).rejects.toMatchObject({
    code: "server-failed",
    message: expect.stringMatching(/^redis ended while it was starting.*redis\.log:\n(.*\n)*.*manifest/),
  });
  await nothingRuns("broken");
});

test("a database that may not write its folder is reported with what to do about AppArmor", async () => {
  const directory = join(root, "confined");
  const abort = new AbortController();
  const context = await openContext(directory, { PATH: directory }, { say: () => undefined, signal: abort.signal });
  const program = `#!/bin/sh\necho '[ERROR] mariadbd: ddl_recovery.log (Errcode: 13 "Permission denied")'; exit 1`;
  writeFileSync(join(directory, "mariadb-install-db"), program, { mode: 0o755 });
  await expect(mariadb.initialise([], { server: "", client }, context)).rejects.toMatchObject({
    code: "server-failed",
    message: expect.stringMatching(/Errcode: 13 [^]*AppArmor[^]* \/etc\/apparmor\.d\/local\/mariadbd /),
  });
});

test("a start that is aborted leaves no process", async () => {
  const [caller, reason] = [new AbortController(), new Error("enough")];
  const { signal } = caller;
  await expect(start("aborted", false, { signal, say: () => caller.abort(reason) })).rejects.toBe(reason);
  await nothingRuns("aborted");
});

test("where containers do not start, the output says that programs start with other data", async () => {
  const docker = `#!/bin/sh\ncase "$*" in *" up "*) echo "no space" >&2; exit 1;; *) echo 1;; esac`;
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin", "docker"), docker, { mode: 0o755 });
  const [caller, reason] = [new AbortController(), new Error("enough")];
  const lines: string[] = [];
  const say = (line: string) => void (lines.push(line) > 1 && caller.abort(reason));
  const found = { services: undefined, environment: { PATH: `${join(root, "bin")}:${environment.PATH}` } };
  await expect(start("no-space", true, { ...found, signal: caller.signal, say })).rejects.toBe(reason);
  expect(lines[1]).toMatch(/no space.*programs.*not have the data of the containers/s);
});

test("addresses in the environment are used as they are, and nothing is started", async () => {
  const given = {
    AMQP_URL: "amqp://a",
    DATABASE_WRITE_URL: "mysql://w",
    DATABASE_READ_URL: "mysql://r",
    REDIS_URL: "redis://r",
  };
  const directory = join(root, "given");
  const options = { directory, database: "x", keepData: true, say: () => undefined };
  const services = await startServices({ ...options, environment: given });
  expect(services).toMatchObject({ source: "environment", addresses: { amqpUrl: "amqp://a" }, servers: [] });
  await services.stop();
  expect(existsSync(directory)).toBe(false);
});
