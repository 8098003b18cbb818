import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { ResponseTimes } from "./response-times.ts";
import { Wire } from "./wire.ts";

/** A server whose requests get their responses from the test. */
async function serve(bodyWithinMs = 30_000) {
  const handed: ServerResponse[] = [];
  const errors: Error[] = [];
  const wire = new Wire({
    headersWithinMs: 10_000,
    bodyWithinMs,
    onRejected: () => undefined,
    errorKeyOf: () => "message",
    times: new ResponseTimes(),
  });
  const server: Server = wire.serve((_request, response) => void handed.push(response));
  server.on("clientError", (error, socket) => {
    errors.push(error);
    if (socket instanceof Socket) wire.broken(error, socket);
  });
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => void sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const open = (): { readonly socket: Socket; readonly received: () => string } => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.on("data", (data) => (received += data.toString()));
    return { socket, received: () => received };
  };
  return { handed, sockets, errors, open };
}

const gets = (name: string, count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `GET /${name}/${String(n).padStart(5, "0")} HTTP/1.1\r\nHost: tally\r\n\r\n`,
  ).join("");
const bodies = (text: string): readonly string[] => text.match(/\/[ab]\/\d+/g) ?? [];

test("of pipelined requests 64 are in flight and one more packet is read; all get their responses, in order", async () => {
  const { handed, sockets, open } = await serve();
  const client = open();
  const count = 8000;
  client.socket.write(gets("a", count));
  await vi.waitFor(() => expect(handed).toHaveLength(64), 10_000);
  // Later turns would have handed on more by now.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(handed).toHaveLength(64);
  expect(sockets[0]?.bytesRead).toBeLessThanOrEqual(2 * 65_536);
  const bytesOfOne = gets("a", 1).length;
  let readAheadMax = 0;
  let responded = 0;
  await vi.waitFor(
    () => {
      readAheadMax = Math.max(readAheadMax, (sockets[0]?.bytesRead ?? 0) - handed.length * bytesOfOne);
      for (; responded < handed.length; responded++) handed[responded]?.end(handed[responded]?.req.url);
      expect(bodies(client.received())).toHaveLength(count);
    },
    { timeout: 20_000, interval: 1 },
  );
  expect(bodies(client.received())).toEqual(bodies(gets("a", count)));
  expect(readAheadMax).toBeLessThanOrEqual(2 * 65_536);
});

test("connections that pipeline are served in rotation", async () => {
  const { handed, open } = await serve();
  const [first, second] = [open(), open()];
  await Promise.all([once(first.socket, "connect"), once(second.socket, "connect")]);
  first.socket.write(gets("a", 60));
  second.socket.write(gets("b", 20));
  await vi.waitFor(() => expect(handed).toHaveLength(80), 10_000);
  const urls = handed.map(({ req }) => req.url ?? "");
  expect(urls.indexOf("/b/00019")).toBeLessThan(urls.indexOf("/a/00050"));
});

test("a late request that is whole before its 408 could be sent waits for its own response", async () => {
  const { handed, errors, open } = await serve(100);
  const client = open();
  const rejected = new Promise((resolve) => client.socket.once("close", resolve));
  client.socket.write(`${gets("a", 1)}POST /b/00000 HTTP/1.1\r\nHost: tally\r\nContent-Length: 2\r\n\r\n{`);
  await vi.waitFor(() => expect(handed).toHaveLength(2), 10_000);
  const [first, late] = handed;
  await vi.waitFor(() => expect(errors).toHaveLength(1), 5000);
  client.socket.write("}");
  await vi.waitFor(() => expect(late?.req.complete).toBe(true), 10_000);
  first?.end(first.req.url);
  await vi.waitFor(() => expect(bodies(client.received())).toEqual(["/a/00000"]), 10_000);
  late?.end(late.req.url);
  await rejected;
  expect(client.received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  expect(bodies(client.received())).toEqual(["/a/00000", "/b/00000"]);
});

test("requests that wait are dropped with their connection", async () => {
  const { handed, sockets, open } = await serve();
  const client = open();
  // Few at a time, so that the server keeps reading and sees the end of the connection.
  for (let sent = 16; sent <= 80; sent += 16) {
    client.socket.write(gets("a", 16));
    await vi.waitFor(() => expect(handed).toHaveLength(Math.min(sent, 64)), 10_000);
  }
  const closed = new Promise((resolve) => sockets[0]?.once("close", resolve));
  client.socket.resetAndDestroy();
  await closed;
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(handed).toHaveLength(64);
});
