import { expect, test, vi } from "vitest";
import { brokerNodes } from "./broker-nodes.ts";
import { body, openPublisher, ownBroker } from "./own-broker.test-kit.ts";

test("nodes rotate from a random start, each with exactly the options of its URL", () => {
  const nodes = brokerNodes("amqp://u:p%2C%40@a:1/v%2Fw?heartbeat=3&frameMax=8192, amqps://b,");
  const seen = [0, 1, 2, 3].map(() => {
    const target = structuredClone(nodes.target);
    nodes.next();
    return target;
  });
  expect(seen.slice(0, 2)).toEqual(seen.slice(2));
  const [a, b] = seen.slice(0, 2).toSorted((one, other) => (one.port ?? 0) - (other.port ?? 0));
  const defaults = { username: "guest", password: "guest", vhost: "", heartbeat: 10, frameMax: 131_072, channelMax: 0 };
  const own = { username: "u", password: "p,@", vhost: "v%2Fw", heartbeat: 3, frameMax: 8192 };
  expect(a).toEqual({ ...defaults, ...own, protocol: "amqp", hostname: "a", port: 1 });
  expect(b).toEqual({ ...defaults, protocol: "amqps", hostname: "b", port: 5671 });
  const firsts = Array.from({ length: 100 }, () => brokerNodes("amqp://a,amqp://b,amqp://c").current);
  expect(new Set(firsts)).toEqual(new Set(["a:5672", "b:5672", "c:5672"]));
});

test("a text that is no URL is rejected and not shown", () => {
  expect(() => brokerNodes("amqp://a,amqp://u:hunter2@h:port")).toThrow(/^(?!.*hunter2)/);
  expect(() => brokerNodes(" ,")).toThrow("the list is empty");
});

// The first node is random: six rounds cover both orders.
test("an unreachable node is skipped, a lost node is replaced by the next, each with one log line", async () => {
  const { queue, ...broker } = await ownBroker();
  for (let round = 0; round < 6; round++) {
    const [dead, alive] = await Promise.all([broker.proxy(), broker.proxy()]);
    dead.become({ name: "cut" });
    const { publisher, log } = openPublisher(`${dead.url},${alive.url}`, [{ name: queue }]);
    expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
    expect([alive.connections, dead.connections]).toEqual([1, 0]);
    expect(log.lines.filter((line) => line.startsWith("info"))).toEqual(["info connected to the broker"]);
    expect(log.lines.filter((line) => line.startsWith("warn")).length).toBe(dead.refused);

    const linesBefore = log.lines.length;
    dead.become({ name: "open" });
    alive.become({ name: "cut" });
    await vi.waitFor(() => expect(publisher.state).toBe("down"), 10_000);
    expect(await publisher.publish({ queue, messageId: "m", body })).toBe("confirmed");
    expect([alive.refused, dead.connections]).toEqual([0, 1]);
    const lost = expect.stringMatching(/^warn lost the connection to the broker/);
    expect(log.lines.slice(linesBefore)).toEqual([lost, "info connected to the broker"]);
  }
});
