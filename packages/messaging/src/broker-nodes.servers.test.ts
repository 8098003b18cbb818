import { expect, onTestFinished, test, vi } from "vitest";
import { brokerNodes } from "./broker-nodes.ts";
import { connectPublisher } from "./connect-publisher.ts";
import { keptLog, ownBroker } from "./own-broker.test-kit.ts";

test("the nodes come one after the other from a random one on, each with all that its URL says and nothing of another's", () => {
  const nodes = brokerNodes("amqp://u:p%2C%40@a:1/v%2Fw?heartbeat=3&frameMax=8192, amqps://b,");
  const seen = [0, 1, 2, 3].map(() => {
    const target = structuredClone(nodes.target);
    nodes.next();
    return target;
  });
  expect(seen.slice(0, 2)).toEqual(seen.slice(2));
  expect(seen.slice(0, 2).toSorted((a, b) => (a.port ?? 0) - (b.port ?? 0))).toEqual([
    {
      protocol: "amqp",
      hostname: "a",
      port: 1,
      username: "u",
      password: "p,@",
      vhost: "v%2Fw",
      heartbeat: 3,
      frameMax: 8192,
      channelMax: 0,
    },
    {
      protocol: "amqps",
      hostname: "b",
      port: 5671,
      username: "guest",
      password: "guest",
      vhost: "",
      heartbeat: 10,
      frameMax: 131_072,
      channelMax: 0,
    },
  ]);
  const firsts = Array.from({ length: 100 }, () => brokerNodes("amqp://a,amqp://b,amqp://c").current);
  expect(new Set(firsts)).toEqual(new Set(["a:5672", "b:5672", "c:5672"]));
});

test("what is no URL is refused without being shown", () => {
  expect(() => brokerNodes("amqp://a,amqp://u:hunter2@h:port")).toThrow(/^(?!.*hunter2)/);
  expect(() => brokerNodes(" ,")).toThrow("needs a URL");
});

// A first node is drawn by lot: both orders are met in so many rounds.
test("a node that cannot be reached is passed over, one that is lost is left for the next, each told in one line", async () => {
  const broker = await ownBroker();
  const queue = broker.queueName("q");
  for (let round = 0; round < 6; round++) {
    const [dead, alive] = await Promise.all([broker.proxy(), broker.proxy()]);
    dead.goDown();
    const log = keptLog();
    const publisher = connectPublisher({
      url: `${dead.url},${alive.url}`,
      connectionName: "test",
      queues: [{ name: queue }],
      log,
    });
    onTestFinished(() => publisher.close());
    const body = Buffer.from("body");
    expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
    expect([alive.connections, dead.connections]).toEqual([1, 0]);
    expect(log.lines.filter((line) => line.startsWith("info"))).toEqual(["info broker: connected"]);
    expect(log.lines.filter((line) => line.startsWith("warn")).length).toBe(dead.refused);

    const linesBefore = log.lines.length;
    dead.restore();
    alive.goDown();
    await vi.waitFor(() => expect(publisher.state).toBe("down"));
    expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
    expect([alive.refused, dead.connections]).toEqual([0, 1]);
    expect(log.lines.slice(linesBefore).map((line) => line.split(":", 2).join(":"))).toEqual([
      "warn broker: connection lost",
      "info broker: connected",
    ]);
  }
});
