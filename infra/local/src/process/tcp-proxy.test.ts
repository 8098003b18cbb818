import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

let echo: Server;
let received = "";
let proxy: TcpProxy;

beforeEach(async () => {
  received = "";
  echo = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => (received += String(data)));
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(echo, "listening");
  const address = echo.address();
  proxy = await openTcpProxy(`tcp://127.0.0.1:${typeof address === "object" ? address?.port : 0}`);
  onTestFinished(() => proxy.close());
});
afterEach(() => void echo.close());

/** With an error or without. */
const closeOf = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once("close", () => resolve()));

async function open(): Promise<Socket> {
  const socket = connect({ port: proxy.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

test("an open proxy carries everything in order, and the end of the stream, and counts bytes and connections", async () => {
  const socket = await open();
  const sent = "x".repeat(1_000_000) + "end";
  socket.end(sent);
  expect(await text(socket)).toBe(sent);
  expect(proxy).toMatchObject({ bytesSent: 1_000_003, connections: 1, refused: 0 });
});

test("what was sent while the proxy was slow comes in order when it becomes fast again", async () => {
  proxy.become({ name: "slow", delayMs: 60 });
  const socket = await open();
  const startedAt = performance.now();
  socket.write("a");
  await delay(30);
  proxy.become({ name: "open" });
  socket.end("b");
  expect(await text(socket)).toBe("ab");
  expect(performance.now() - startedAt).toBeGreaterThan(50);
});

test("a frozen proxy counts and holds what it gets, and passes it on when it is open again", async () => {
  const socket = await open();
  proxy.become({ name: "frozen" });
  socket.write("held");
  await vi.waitFor(() => expect(proxy.bytesSent).toBe(4), 10_000);
  socket.end("more");
  await vi.waitFor(() => expect(proxy.bytesSent).toBe(8), 10_000);
  await delay(50);
  expect(received).toBe("");
  proxy.become({ name: "open" });
  expect(await text(socket)).toBe("heldmore");
});

test("a cut proxy resets its connections and refuses new ones", async () => {
  const socket = await open();
  const closed = closeOf(socket);
  proxy.become({ name: "cut" });
  await closed;
  // Reset before or after its connect event.
  const refused = connect({ port: proxy.port, host: "127.0.0.1" }).on("error", () => undefined);
  await closeOf(refused);
  expect(proxy.refused).toBe(1);
  proxy.become({ name: "open" });
  const again = await open();
  again.end("x");
  expect(await text(again)).toBe("x");
});
