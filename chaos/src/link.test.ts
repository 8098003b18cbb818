import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLink, type Link } from "./link.ts";

let echo: Server;
let link: Link;

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(echo, "listening");
  const address = echo.address();
  link = await openLink(address !== null && typeof address === "object" ? address.port : 0);
});
afterEach(async () => {
  await link.close();
  echo.close();
});

/** With an error or without. */
const closeOf = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once("close", () => resolve()));

async function open(): Promise<Socket> {
  const socket = connect({ port: link.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

test("an open link carries everything in order, and its end", async () => {
  const socket = await open();
  const sent = "x".repeat(1_000_000) + "end";
  socket.end(sent);
  expect(await text(socket)).toBe(sent);
});

test("what was sent over a slow link comes in order when it becomes fast again", async () => {
  link.become({ name: "slow", delayMs: 60 });
  const socket = await open();
  const begunAt = performance.now();
  socket.write("a");
  await delay(30);
  link.become({ name: "open" });
  socket.end("b");
  expect(await text(socket)).toBe("ab");
  expect(performance.now() - begunAt).toBeGreaterThan(50);
});

test("a stalled link holds what it was given and carries it on later", async () => {
  const socket = await open();
  link.become({ name: "stalled" });
  socket.write("held");
  const answer = once(socket, "data");
  expect(await Promise.race([answer, delay(100, "nothing")])).toBe("nothing");
  link.become({ name: "open" });
  expect(String(await answer)).toBe("held");
  socket.destroy();
});

test("a cut link ends its connections and lets none in", async () => {
  const socket = await open();
  const closed = closeOf(socket);
  link.become({ name: "cut" });
  await closed;
  const next = connect({ port: link.port, host: "127.0.0.1" });
  next.on("error", () => undefined);
  await closeOf(next);
  link.become({ name: "open" });
  const again = await open();
  again.end("x");
  expect(await text(again)).toBe("x");
});

test("a narrow link carries so many bytes a second", async () => {
  link.become({ name: "narrow", bytesPerSecond: 200_000 });
  const socket = await open();
  const begunAt = performance.now();
  socket.end("x".repeat(40_000));
  expect(await text(socket)).toHaveLength(40_000);
  // There and back again.
  expect(performance.now() - begunAt).toBeGreaterThan(350);
});
