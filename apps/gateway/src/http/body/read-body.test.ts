import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ByteBudget } from "./byte-budget.ts";
import { addContentTypes } from "./content.ts";
import { refusalOfError } from "../../errors/client-error.ts";

const kibibyte = 1024;
const bodyLimit = 256 * kibibyte;
const share = 300 * kibibyte;
/** What clients of this machine hold. */
let held = 0;
let app: FastifyInstance;
let answered: () => void;
const clients: Socket[] = [];

class CountedBudget extends ByteBudget {
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
  app.setErrorHandler((error, _request, reply) => reply.code(refusalOfError(error)?.status ?? 500).send());
  const answering = new Promise<void>((resolve) => (answered = resolve));
  app.post("/", { config: { readsForm: true } }, async ({ body }) => {
    if (Buffer.isBuffer(body) && body.subarray(0, 4).equals(Buffer.from("wait"))) await answering;
    return { length: Buffer.isBuffer(body) ? body.length : undefined };
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(async () => {
  for (const socket of clients.splice(0)) socket.destroy();
  await app.close();
});

function client(): Socket {
  // Of a server that listens on a port.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  clients.push(socket);
  return socket;
}
const head = (length: number | "chunked") =>
  `POST / HTTP/1.1\r\nHost: tally\r\nContent-Type: text/plain\r\n${
    length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`
  }\r\n\r\n`;
const statusOf = async (socket: Socket) => String(await once(socket, "data")).split(" ", 2)[1];

test("an announced length takes nothing, what has arrived does, and it is given back when the client has gone", async () => {
  const socket = client();
  socket.write(head(200 * kibibyte));
  const other = client();
  other.write(`${head(3)}abc`);
  expect(await statusOf(other)).toBe("200");
  expect(held).toBe(0);
  socket.write(Buffer.alloc(100 * kibibyte));
  await vi.waitFor(() => expect(held).toBeGreaterThanOrEqual(100 * kibibyte));
  expect(held).toBeLessThanOrEqual(200 * kibibyte);
  socket.destroy();
  await vi.waitFor(() => expect(held).toBe(0));
});

test("it is held until the answer", async () => {
  const socket = client();
  const answer = statusOf(socket);
  socket.write(head(100 * kibibyte));
  socket.write(Buffer.alloc(100 * kibibyte, "wait"));
  await vi.waitFor(() => expect(held).toBe(100 * kibibyte));
  answered();
  expect(await answer).toBe("200");
  await vi.waitFor(() => expect(held).toBe(0));
});

test("beyond the share there is 503, also while the rest is still sent; the connection can be used again", async () => {
  const stalled = client();
  stalled.write(head(250 * kibibyte));
  stalled.write(Buffer.alloc(249 * kibibyte));
  await vi.waitFor(() => expect(held).toBeGreaterThan(200 * kibibyte));
  const socket = client();
  socket.write(head(200 * kibibyte));
  socket.write(Buffer.alloc(150 * kibibyte));
  expect(await statusOf(socket)).toBe("503");
  socket.write(Buffer.alloc(50 * kibibyte));
  socket.write(`${head(3)}abc`);
  expect(await statusOf(socket)).toBe("200");
  stalled.destroy();
  await vi.waitFor(() => expect(held).toBe(0));
});

test("a body that comes in single bytes is read as it is, and takes no more than twice its length", async () => {
  const socket = client();
  const bytes = 20_000;
  const answer = once(socket, "data");
  socket.write(head("chunked"));
  socket.write("1\r\nx\r\n".repeat(bytes));
  await vi.waitFor(() => expect(held).toBeGreaterThan(0));
  expect(held).toBeLessThanOrEqual(2 * bytes);
  socket.write("0\r\n\r\n");
  expect(String(await answer)).toContain(`{"length":${bytes}}`);
});

test("a body over the limit gets 413 as soon as that is known", async () => {
  const announced = client();
  announced.write(head(bodyLimit + 1));
  expect(await statusOf(announced)).toBe("413");
  const chunked = client();
  chunked.write(head("chunked"));
  chunked.write(`${(bodyLimit + 1).toString(16)}\r\n`);
  chunked.write(Buffer.alloc(bodyLimit + 1));
  expect(await statusOf(chunked)).toBe("413");
  await vi.waitFor(() => expect(held).toBe(0));
});
