import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AddressBudget } from "../connection/address-limits.ts";
import { addContentTypes } from "./content.ts";
import { rejectionOfError } from "../../errors/reject.ts";

const kibibyte = 1024;
const bodyLimit = 256 * kibibyte;
const share = 300 * kibibyte;
/** Bytes of the budget that the clients hold. */
let held = 0;
let app: FastifyInstance;
let port: number;
const clients: Socket[] = [];

class CountedBudget extends AddressBudget {
  override take(address: string, bytes: number): boolean {
    const taken = super.take(address, bytes);
    if (taken) held += bytes;
    return taken;
  }
  override release(address: string, bytes: number): void {
    super.release(address, bytes);
    held -= bytes;
  }
}

beforeEach(async () => {
  held = 0;
  app = fastify({ bodyLimit });
  addContentTypes(app, new CountedBudget(2 * share, share));
  app.setErrorHandler((error, _request, reply) => reply.code(rejectionOfError(error)?.status ?? 500).send());
  app.post("/", { config: { readsForm: true } }, async ({ body }) => {
    if (Buffer.isBuffer(body) && body.subarray(0, 4).equals(Buffer.from("wait"))) await new Promise(() => undefined);
    return { length: Buffer.isBuffer(body) ? body.length : undefined };
  });
  port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
});
afterEach(async () => {
  for (const socket of clients.splice(0)) socket.destroy();
  await app.close();
});

function client(): Socket {
  const socket = connect(port, "127.0.0.1");
  clients.push(socket);
  return socket;
}
const head = (length: number | "chunked") =>
  `POST / HTTP/1.1\r\nHost: tally\r\nContent-Type: text/plain\r\n${
    length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`
  }\r\n\r\n`;
const statusOf = async (socket: Socket) => String(await once(socket, "data")).split(" ", 2)[1];

test("an announced length takes no memory, received bytes do; a disconnected client releases them", async () => {
  const socket = client();
  socket.write(head(200 * kibibyte));
  const other = client();
  other.write(`${head(3)}abc`);
  expect(await statusOf(other)).toBe("200");
  expect(held).toBe(0);
  socket.write(Buffer.alloc(100 * kibibyte));
  await vi.waitFor(() => expect(held).toBeGreaterThanOrEqual(100 * kibibyte), 10_000);
  expect(held).toBeLessThanOrEqual(200 * kibibyte);
  socket.destroy();
  await vi.waitFor(() => expect(held).toBe(0), 10_000);
});

test("beyond the share there is 503, while the client still sends; the connection stays usable", async () => {
  const stalled = client();
  stalled.write(head(250 * kibibyte));
  stalled.write(Buffer.alloc(249 * kibibyte));
  await vi.waitFor(() => expect(held).toBeGreaterThan(200 * kibibyte), 10_000);
  const socket = client();
  socket.write(head(200 * kibibyte));
  socket.write(Buffer.alloc(150 * kibibyte));
  expect(await statusOf(socket)).toBe("503");
  socket.write(Buffer.alloc(50 * kibibyte));
  socket.write(`${head(3)}abc`);
  expect(await statusOf(socket)).toBe("200");
  stalled.destroy();
  await vi.waitFor(() => expect(held).toBe(0), 10_000);
});

test("a body in chunks of one byte is read whole, and takes at most twice its length", async () => {
  const socket = client();
  const bytes = 20_000;
  const response = once(socket, "data");
  socket.write(head("chunked"));
  socket.write("1\r\nx\r\n".repeat(bytes));
  await vi.waitFor(() => expect(held).toBeGreaterThan(0), 10_000);
  expect(held).toBeLessThanOrEqual(2 * bytes);
  socket.write("0\r\n\r\n");
  expect(String(await response)).toContain(`{"length":${bytes}}`);
  await vi.waitFor(() => expect(held).toBe(0), 10_000);
});

// Before Node 26.1, the response of such a request emits no "close".
test("a request that waits for an earlier response releases its memory when the client disconnects", async () => {
  const socket = client();
  socket.write(`${head(4)}wait${head(100 * kibibyte)}`);
  socket.write(Buffer.alloc(100 * kibibyte, "wait"));
  await vi.waitFor(() => expect(held).toBe(100 * kibibyte), 10_000);
  socket.resetAndDestroy();
  await vi.waitFor(() => expect(held).toBe(0), 10_000);
});
