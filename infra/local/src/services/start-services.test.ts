import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { converse } from "../servers/converse.ts";
import { findDatabasePrograms } from "../servers/database-engine.ts";
import { redisAnswer } from "../servers/redis-answer.ts";
import { runCommand } from "../process/run-command.ts";
import type { Server, Services } from "./services.ts";
import { startServices } from "./start-services.ts";

const root = mkdtempSync(join(tmpdir(), "tally-services-"));
const started: Services[] = [];
const environment = { PATH: process.env["PATH"] };
const client = findDatabasePrograms(environment)?.client ?? "mysql";
const POLL = { timeout: 20_000, interval: 50 };

async function start(
  name: string,
  keepData: boolean,
  say: (line: string) => void = () => undefined,
): Promise<Services> {
  const directory = join(root, name);
  const services = await startServices({
    directory,
    database: "tally_test",
    keepData,
    say,
    environment,
    docker: "never",
  });
  started.push(services);
  return services;
}

afterAll(async () => {
  await Promise.all(started.map((services) => services.stop()));
  rmSync(root, { recursive: true, force: true });
}, 60_000);

/** Runs SQL as the ordinary user of the URL; gives the values, or the error. */
async function sql(url: string, text: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const args = ["--no-defaults", "-h", hostname, "-P", port, "-u", username, "-N", "-B", pathname.slice(1)];
  const { output, errors } = await runCommand(client, args, {
    environment: { ...environment, MYSQL_PWD: password },
    input: text,
  });
  return (output + errors).trim();
}

const broker = async (name: string, args: readonly string[]): Promise<string> =>
  (await runCommand(join(root, name, "rabbitmqctl"), ["--quiet", ...args], { environment })).output;

function server(services: Services, name: string): Server {
  const found = services.servers.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no server ${name}`);
  return found;
}

/** All processes that carry the mark of this directory, whatever pid files say. */
function processesOf(name: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`=${join(root, name)}\0`);
    } catch {
      return false;
    }
  });
}

// Erlang's small helpers end a moment after the machine that they help.
const nothingRuns = (name: string) =>
  vi.waitFor(() => expect(processesOf(name)).toEqual([]), { timeout: 1000, interval: 20 });

describe("two launchers side by side", () => {
  let kept: Services;
  let thrownAway: Services;
  beforeAll(async () => {
    [kept, thrownAway] = await Promise.all([start("kept", true), start("thrown-away", false)]);
  }, 120_000);

  test("all servers answer at their addresses, each launcher on ports of its own", async () => {
    const ports = [kept, thrownAway].flatMap(({ servers }) => servers.map(({ port }) => port));
    expect(new Set(ports).size).toBe(8);
    for (const { addresses, source } of [kept, thrownAway]) {
      expect(source).toBe("private");
      expect(await sql(addresses.databaseWriteUrl, "SELECT @@transaction_isolation")).toMatch(/READ-COMMITTED|Unknown/);
      const redis = { port: Number(new URL(addresses.redisUrl).port), password: new URL(addresses.redisUrl).password };
      expect(await redisAnswer(redis, "CONFIG GET zset-max-listpack-entries")).toContain("512");
      expect(await redisAnswer({ ...redis, password: "wrong" }, "PING")).toMatch(/^-WRONGPASS/);
      expect(await converse(redis.port, "PING\r\n")).toMatch(/^-NOAUTH/);
      expect(await converse(Number(new URL(addresses.amqpUrl).port), "AMQP\0\0\x09\x01")).toContain("RabbitMQ");
    }
  });

  test("the replica has what the primary has, and refuses writes", async () => {
    const { databaseWriteUrl, databaseReadUrl } = kept.addresses;
    expect(await sql(databaseWriteUrl, "CREATE TABLE seen (id INT PRIMARY KEY); INSERT INTO seen VALUES (1)")).toBe("");
    await vi.waitFor(async () => expect(await sql(databaseReadUrl, "SELECT id FROM seen")).toBe("1"), POLL);
    expect(await sql(databaseReadUrl, "INSERT INTO seen VALUES (2)")).toContain("ERROR 1290");
    expect(await sql(databaseReadUrl, "CREATE TABLE other (id INT)")).toContain("ERROR 1290");
    expect(await sql(databaseReadUrl, "SHOW REPLICA STATUS")).toContain("127.0.0.1");
  });

  test("the user may make databases whose names begin with the given one, and no others; nobody comes in without a password", async () => {
    const url = kept.addresses.databaseWriteUrl;
    expect(await sql(url, "CREATE DATABASE tally_test_own_test; DROP DATABASE tally_test_own_test")).toBe("");
    expect(await sql(url, "CREATE DATABASE tallyXtest")).toContain("ERROR 1044");
    for (const user of ["root", "tally", "nobody", ""]) {
      expect(await sql(url.replace(/tally:\w+@/, `${user}:@`), "SELECT 1")).toMatch(/ERROR (1045|1698)/);
    }
  });

  test("a second launcher on a directory in use is refused", async () => {
    await expect(start("kept", true)).rejects.toMatchObject({ code: "directory-in-use" });
  });

  test("a killed server starts again on its port, with its data, and replication goes on", async () => {
    const { databaseWriteUrl, databaseReadUrl } = kept.addresses;
    for (const name of ["database-primary", "database-replica", "redis"]) {
      const one = server(kept, name);
      const before = one.pid;
      one.kill("SIGKILL");
      await one.start();
      expect(one.pid).not.toBe(before);
    }
    expect(await sql(databaseWriteUrl, "INSERT INTO seen VALUES (3)")).toBe("");
    await vi.waitFor(async () => expect(await sql(databaseReadUrl, "SELECT COUNT(*) FROM seen")).toBe("2"), POLL);
  }, 60_000);

  test("stopped without keeping data, nothing is left of it", async () => {
    expect(processesOf("thrown-away").length).toBeGreaterThanOrEqual(5);
    await Promise.all([thrownAway.stop(), thrownAway.stop()]);
    await nothingRuns("thrown-away");
    expect(existsSync(join(root, "thrown-away"))).toBe(false);
  }, 60_000);

  test("a second start finds rows and durable queues again, and builds a replica anew whose place in the log is gone", async () => {
    const queue = {
      name: "kept",
      vhost: "/",
      durable: true,
      auto_delete: false,
      arguments: { "x-queue-type": "quorum" },
    };
    writeFileSync(join(root, "definitions.json"), JSON.stringify({ queues: [queue] }));
    await broker("kept", ["import_definitions", join(root, "definitions.json")]);
    await vi.waitFor(async () => expect(await broker("kept", ["list_queues", "name"])).toContain("kept"), POLL);
    server(kept, "database-replica").kill("SIGKILL");
    await sql(kept.addresses.databaseWriteUrl, "INSERT INTO seen VALUES (4)");
    const asRoot = [`--defaults-file=${join(root, "kept", "database-primary.cnf")}`];
    const input = "FLUSH BINARY LOGS; PURGE BINARY LOGS BEFORE NOW() + INTERVAL 1 DAY; SHOW BINARY LOGS";
    await vi.waitFor(async () => {
      const { output } = await runCommand(client, [...asRoot, "-N"], { environment, input });
      expect(output.trim().split("\n")).toHaveLength(1); // a log that the dead replica's connection still reads stays a while
    }, POLL);
    await kept.stop();
    await nothingRuns("kept");

    const said: string[] = [];
    const again = await start("kept", true, (line) => said.push(line));
    expect(said.filter((line) => line.includes("building it anew"))).toHaveLength(1);
    expect(await sql(again.addresses.databaseReadUrl, "SELECT id FROM seen ORDER BY id")).toBe("1\n3\n4");
    expect(await broker("kept", ["list_queues", "name", "state"])).toContain("kept\trunning");
    expect(await sql(again.addresses.databaseWriteUrl, "INSERT INTO seen VALUES (5)")).toBe("");
    await vi.waitFor(
      async () => expect(await sql(again.addresses.databaseReadUrl, "SELECT MAX(id) FROM seen")).toBe("5"),
      POLL,
    );
    await again.stop();
  }, 120_000);
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
}, 60_000);

test("addresses of the environment are used as they are, and nothing is started", async () => {
  const given = {
    AMQP_URL: "amqp://a",
    DATABASE_WRITE_URL: "mysql://w",
    DATABASE_READ_URL: "mysql://r",
    REDIS_URL: "redis://r",
  };
  const directory = join(root, "given");
  const services = await startServices({
    directory,
    database: "x",
    keepData: true,
    say: () => undefined,
    environment: given,
  });
  expect(services).toMatchObject({ source: "environment", addresses: { amqpUrl: "amqp://a" }, servers: [] });
  await services.stop();
  expect(existsSync(directory)).toBe(false);
});
