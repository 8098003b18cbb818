import { join } from "node:path";
import { addressVariables, freePorts } from "@tally/local";
import { newEventId } from "@tally/contract";
import { expect, test } from "vitest";
import { RawConnection } from "./http/raw-connection.ts";
import { get, postSale } from "./http/requests.ts";
import { processesNaming, temporaryDirectory } from "@tally/local/at-end";
import { gatewayWith } from "./kit/limited-gateway.fixture.ts";
import { root, runProgram, spawnGateway, startApp } from "./kit/programs.ts";
import { countOf, openDatabase, openRedis, startSystem } from "./kit/system.ts";
import { auditOf } from "./kit/tally.ts";

// A GET of an album that does not exist waits as long.
const system = await startSystem({}, { gatewayMain: gatewayWith({ foundWithinMs: 14_000 }) });

test("a gateway is not ready before its public port is open", async () => {
  const [port = 0, operatorPort = 0] = await freePorts(2);
  // The gateway waits a second for this Redis, with its operator port open and its broker connected.
  const settings = { DOOR_REDIS_URL: "redis://127.0.0.1:1", HOST: "127.0.0.1", AUTH: "off" };
  spawnGateway(system, { ...settings, PORT: String(port), GATEWAY_HEALTH_PORT: String(operatorPort) });
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${operatorPort}/health/ready`)).status, {
      timeout: 90_000,
      interval: 10,
    })
    .toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
});

test("a gateway that stops responds to requests that have begun and to pipelined ones, and then closes their connections", async () => {
  const [request, database] = [postSale(1), openDatabase(system)];
  const open = () => new RawConnection(system.url);
  const [silent, pipelined, sales] = [open(), open(), 100];
  // One has sent half of its head, one half of its body.
  const begun = [40, request.length - 20].map((sent) => {
    const connection = open();
    void connection.write(request.subarray(0, sent));
    return { connection, rest: request.subarray(sent) };
  });
  // The GET waits for an album that does not exist. Responses keep their order, so 63 sales are in flight, and 37 are
  // not handled yet.
  await pipelined.write(Buffer.concat([get(`/albums/${newEventId()}`), ...Array<Buffer>(sales).fill(postSale(2))]));
  // When they are stored, all that was sent before is read.
  await expect.poll(() => countOf(database, "purchases WHERE store_id = 2")).toBe(63);
  const stopped = system.gateway.stop();
  await silent.untilClosed();
  const ids: string[] = [];
  for (const { connection, rest } of begun) {
    await connection.write(rest);
    const { status, headers } = await connection.response();
    expect([status, headers.get("connection")]).toEqual([201, "close"]);
    expect((await connection.untilClosed()).length).toBe(0);
    ids.push(headers.get("tally-event-id") ?? "");
  }
  const responses = await pipelined.responses(1 + sales);
  expect(responses.map(({ status }) => status)).toEqual([503, ...Array<number>(sales).fill(201)]);
  expect(responses.findIndex(({ headers }) => headers.get("connection") === "close")).toBe(sales);
  expect((await pipelined.untilClosed()).length).toBe(0);
  expect(await stopped).toBe(0);
  await system.gateway.start();
  expect(await auditOf(system, ids)).toMatchObject({ agrees: true, audit: { acknowledged: 2, lost: 0 } });
});

test("a writer that is stopped while it starts leaves no heartbeat", async () => {
  const { namespace, addresses } = system;
  const settings = { PATH: process.env["PATH"], NAMESPACE: namespace, WRITER_HEALTH_PORT: "0" };
  const writer = startApp("writer", { ...settings, ...addressVariables(addresses), AMQP_URL: "amqp://127.0.0.1:9" });
  const redis = openRedis(system);
  const hasHeartbeat = async () =>
    (await redis.hkeys(`${namespace}:{status}:processes`)).some((field) => field.includes(` ${writer.pid} `));
  await expect.poll(hasHeartbeat, { timeout: 120_000 }).toBe(true);
  expect(await writer.stop()).toBe(0);
  expect(await hasHeartbeat()).toBe(false);
});

test("apps end with a launcher that throws", async () => {
  const directory = await temporaryDirectory();
  const environment = { PATH: process.env["PATH"], NAMESPACE: system.namespace };
  const options = JSON.stringify({ root, directory, addresses: system.addresses, port: 0, environment });
  const launcher = `
    import { startApps } from "${join(root, "infra", "local", "src", "index.ts")}";
    await startApps({ ...${options}, say() {} });
    throw new Error("the launcher dies");`;
  const { errors } = await runProgram(process.execPath, ["--input-type=module", "--eval", launcher]);
  expect(errors).toContain("the launcher dies");
  await expect.poll(() => processesNaming(`=${directory}\0`), { timeout: 60_000 }).toEqual([]);
});
