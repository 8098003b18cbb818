import { once } from "node:events";
import { connect, createServer } from "node:net";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./listen.ts";

const host = "127.0.0.1";

test("a busy server accepts several connections in each turn of its event loop", async () => {
  const app = fastify();
  let turns = 0;
  const turnsAtAccept = new Set<number>();
  app.server.on("connection", () => turnsAtAccept.add(turns));
  const { port, close } = await listen(app, { host, port: 0 });
  onTestFinished(close);
  const clients = Array.from({ length: 200 }, () => connect(port, host));
  for (const client of clients) onTestFinished(() => void client.destroy());
  let accepted = 0;
  app.server.on("connection", () => accepted++);
  for (; accepted < clients.length; turns++) await new Promise(setImmediate);
  // With one socket, 200.
  expect(turnsAtAccept.size).toBeLessThan(80);
});

test("a port at which another server listens is an error", async () => {
  const other = fastify();
  const { port, close } = await listen(other, { host, port: 0 });
  onTestFinished(close);
  const app = fastify();
  onTestFinished(() => app.close());
  await expect(listen(app, { host, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  const plain = createServer().listen(0, host);
  await once(plain, "listening");
  onTestFinished(() => void plain.close());
  const address = plain.address();
  const taken = typeof address === "object" && address !== null ? address.port : 0;
  await expect(listen(fastify(), { host, port: taken })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("close waits for the connections of all sockets, and nothing listens after it", async () => {
  const app = fastify();
  app.get("/", () => "ok");
  const { port, close } = await listen(app, { host, port: 0 });
  const clients = Array.from({ length: 40 }, () => connect(port, host));
  const ended = clients.map(async (client) => {
    client.write("GET / HTTP/1.1\r\nHost: tally\r\n\r\n");
    await once(client, "data");
    await once(client, "close");
  });
  await Promise.all(clients.map((client) => once(client, "data")));
  await close();
  await Promise.all(ended);
  await expect(once(connect(port, host), "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
