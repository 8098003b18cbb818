import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { responseBudget } from "./response-budget.ts";

// More than the kernel keeps of an answer that nobody takes.
const large = Buffer.alloc(32 * 1024 * 1024);
let app: FastifyInstance;
let port: number;
const accepted: Socket[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function serve(stalledAfterMs: number): Promise<void> {
  const hasRoom = responseBudget({ bytesMax: 2 * large.length, perAddressMax: large.length, stalledAfterMs });
  app = fastify();
  app.server.on("connection", (connection) => accepted.push(connection));
  app.get("/", async (_request, reply) => (hasRoom(reply, large.length) ? large : reply.code(503).send()));
  port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
}
afterEach(async () => {
  agent.destroy();
  accepted.length = 0;
  app.server.closeAllConnections();
  await app.close();
});

const ask = (method: string) =>
  new Promise<{ status: number | undefined; bytes: number }>((resolve, reject) => {
    const asked = request({ port, method, agent }, (answer) => {
      let bytes = 0;
      answer.on("data", (part: Buffer) => (bytes += part.length));
      answer.on("end", () => resolve({ status: answer.statusCode, bytes }));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end();
  });

test("an answer takes its room until it is out, and its connection may then be idle for as long as before", async () => {
  await serve(300);
  for (const method of ["GET", "HEAD", "GET", "HEAD"]) {
    expect(await ask(method)).toEqual({ status: 200, bytes: method === "GET" ? large.length : 0 });
    await vi.waitFor(() => expect(accepted[0]?.timeout).toBeGreaterThan(app.server.keepAliveTimeout - 1));
  }
  expect(accepted).toHaveLength(1);
});

test("a client that takes nothing is left, and its room is another's", async () => {
  await serve(2000);
  const stalled = connect(port, "127.0.0.1").pause();
  stalled.write("GET / HTTP/1.1\r\nHost: tally\r\n\r\nGET / HTTP/1.1\r\nHost: tally\r\n\r\n");
  await vi.waitFor(async () => expect((await ask("GET")).status).toBe(503), 15_000);
  await vi.waitFor(async () => expect((await ask("GET")).status).toBe(200), 15_000);
  stalled.destroy();
});

test("a client that takes a little again and again gets all of it, however long that is", async () => {
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
