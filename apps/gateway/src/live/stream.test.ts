import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { listen } from "@tally/local/at-end";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection } from "../errors/catalogue.ts";
import { Feed } from "./feeds.ts";
import { Stream, Streams } from "./streams.ts";

/** A stream over a real connection. The client reads when `socket` flows. */
async function opened() {
  const response = Promise.withResolvers<ServerResponse>();
  const { url } = await listen((_, own) => {
    own.writeHead(200);
    response.resolve(own);
  });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const own = await response.promise;
  const stream = new Stream(own);
  const feed = new Feed();
  feed.viewers.add(stream);
  stream.show(feed, 0);
  return { stream, feed, response: own, socket };
}

function textOf(socket: Socket): () => string {
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  return () => text;
}

const big = (n: number) => ({ status: 200, body: JSON.stringify({ n, filling: "x".repeat(100_000) }) });
const updates = 500;

test("a client that stops reading gets the newest response when it reads on, and little is buffered", async () => {
  const { feed, response, socket } = await opened();
  socket.pause();
  for (let n = 0; n < updates; n++) {
    feed.update(big(n));
    await new Promise(setImmediate);
  }
  // 50 MB of responses.
  expect(response.writableLength).toBeLessThan(1_000_000);
  const text = textOf(socket);
  socket.resume();
  await vi.waitFor(() => expect(text()).toContain(`"n":${updates - 1},`), 10_000);
  const seen = new Set(Array.from(text().matchAll(/"n":(\d+),/g), ([, n]) => n));
  expect(seen.size).toBeLessThan(updates / 2);
  feed.update(big(updates));
  await vi.waitFor(() => expect(text()).toContain(`"n":${updates},`), 10_000);
});

test("a client that reads nothing for 10 s is disconnected by the next beat", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { stream, feed, response, socket } = await opened();
  socket.pause();
  const beat = Buffer.from("event: beat\ndata: {}\n\n");
  for (let n = 0; n < updates; n++) {
    feed.update(big(n));
    await new Promise(setImmediate);
  }
  expect(stream.beat(beat)).toBe(true);
  vi.advanceTimersByTime(10_001);
  expect(stream.beat(beat)).toBe(false);
  expect(response.destroyed).toBe(true);
  feed.update(big(updates));
  expect(stream.beat(beat)).toBe(true);
});

test("a response that arrives between the end of a stream and the close of its connection is not written", async () => {
  const { stream, feed, socket } = await opened();
  const text = textOf(socket);
  feed.update({ status: 200, body: "1" });
  stream.end();
  feed.update({ status: 200, body: "2" });
  await vi.waitFor(() => expect(text()).toMatch(/\r\n0\r\n\r\n$/), 10_000);
  expect(text()).not.toContain('"body":2');
});

test("a gateway at its limit of streams, or without room for responses, takes no more", async () => {
  const { stream } = await opened();
  const streams = new Streams({ max: 1, perAddressMax: 1, onSlow: () => undefined });
  expect(streams.take("a", true)).toBeUndefined();
  const remove = streams.add(stream, "a", () => true);
  const full = rejection("STREAMS_FULL");
  expect(streams.take("b", true)).toEqual(full);
  remove();
  expect([streams.take("b", false), streams.take("b", true)]).toEqual([full, undefined]);
});
