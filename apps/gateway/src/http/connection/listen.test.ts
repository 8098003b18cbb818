import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { listen } from "./listen.ts";

const host = "127.0.0.1";

test.skipIf(process.platform !== "linux")(
  "a busy server accepts several connections in each turn of its event loop",
  async () => {
    const app = fastify();
    let turns = 0;
    const turnsAtAccept = new Set<number>();
    app.server.on("connection", () => turnsAtAccept.add(turns));
    const port = await listen(app, { host, port: 0 });
    onTestFinished(() => app.close());
    const clients = Array.from({ length: 200 }, () => connect(port, host));
    for (const client of clients) onTestFinished(() => void client.destroy());
    let accepted = 0;
    app.server.on("connection", () => accepted++);
    for (; accepted < clients.length; turns++) await new Promise(setImmediate);
    // With one socket, 200.
    expect(turnsAtAccept.size).toBeLessThan(80);
  },
);

test("a port that another server takes meanwhile is an error", async () => {
  const [first, second] = [fastify(), fastify()];
  for (const app of [first, second]) onTestFinished(() => app.close());
  const taken = Promise.withResolvers<number>();
  second.register(async () => void (await taken.promise));
  const free = fastify();
  const port = await listen(free, { host, port: 0 });
  await free.close();
  const start = listen(second, { host, port });
  taken.resolve(await listen(first, { host, port }));
  await expect(start).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("close waits for what the connections of all sockets have under way, and nothing listens after it", async () => {
  const app = fastify();
  let [begun, ended] = [0, 0];
  app.get("/", async (_request, reply) => {
    reply.raw.once("finish", () => ended++);
    await delay(200 + 20 * ++begun);
    return "ok";
  });
  const port = await listen(app, { host, port: 0 });
  const clients = Array.from({ length: 40 }, () => connect(port, host));
  const responses = clients.map(async (client) => {
    client.write("GET / HTTP/1.1\r\nHost: tally\r\nConnection: close\r\n\r\n");
    return text(client);
  });
  await vi.waitFor(() => expect(begun).toBe(40), 10_000);
  await app.close();
  expect(ended).toBe(40);
  for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1.1 200 /);
  await expect(once(connect(port, host), "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
