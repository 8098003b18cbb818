import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { AddressBudget, responseBudget } from "./address-limits.ts";

// More than the kernel buffers for a client that reads nothing.
const large = Buffer.alloc(32 * 1024 * 1024);
let app: FastifyInstance;
let port: number;
const accepted: Socket[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Each response has room, then is ready after `readyMs`. */
async function serve(stalledAfterMs: number, readyMs = 0): Promise<void> {
  const hasRoom = responseBudget(new AddressBudget(2 * large.length, large.length), stalledAfterMs);
  app = fastify();
  app.server.on("connection", (connection) => accepted.push(connection));
  app.get("/", async (_request, reply) => {
    if (!hasRoom(reply, large.length, readyMs)) return reply.code(503).send();
    await delay(readyMs);
    return large;
  });
  port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
}
afterEach(async () => {
  agent.destroy();
  accepted.length = 0;
  app.server.closeAllConnections();
  await app.close();
});

const get = (method: string) =>
  new Promise<{ status: number | undefined; bytes: number }>((resolve, reject) => {
    const sent = request({ port, method, agent }, (response) => {
      let bytes = 0;
      response.on("data", (part: Buffer) => (bytes += part.length));
      response.on("end", () => resolve({ status: response.statusCode, bytes }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end();
  });

test("a response holds its bytes until it is sent; then its connection may be idle as long as before", async () => {
  await serve(5000);
  for (const method of ["GET", "HEAD", "GET", "HEAD"]) {
    expect(await get(method)).toEqual({ status: 200, bytes: method === "GET" ? large.length : 0 });
    await vi.waitFor(() => expect(accepted[0]?.timeout).toBeGreaterThan(app.server.keepAliveTimeout - 1), 10_000);
  }
  expect(accepted).toHaveLength(1);
});

test("a client that reads nothing is disconnected, and its bytes are released", async () => {
  await serve(2000);
  const stalled = connect(port, "127.0.0.1").pause();
  stalled.write("GET / HTTP/1.1\r\nHost: tally\r\n\r\nGET / HTTP/1.1\r\nHost: tally\r\n\r\n");
  await vi.waitFor(async () => expect((await get("GET")).status).toBe(503), 15_000);
  await vi.waitFor(async () => expect((await get("GET")).status).toBe(200), 15_000);
  stalled.destroy();
});

test("a response that takes longer than a client may stall is sent", async () => {
  await serve(500, 2000);
  expect(await get("GET")).toEqual({ status: 200, bytes: large.length });
});

test("a slow client that keeps reading gets the whole response", async () => {
  const stalledAfterMs = 2000;
  await serve(stalledAfterMs);
  const began = performance.now();
  const slow = connect(port, "127.0.0.1").pause();
  const closed = new Promise((resolve) => slow.once("close", resolve));
  slow.write("GET / HTTP/1.1\r\nHost: tally\r\nConnection: close\r\n\r\n");
  let taken = 0;
  const taking = setInterval(() => (taken += slow.read(Math.min(slow.readableLength, 512 * 1024))?.length ?? 0), 80);
  slow.on("error", () => undefined);
  await closed;
  clearInterval(taking);
  expect(taken).toBeGreaterThan(large.length);
  expect(performance.now() - began).toBeGreaterThan(2 * stalledAfterMs);
});
