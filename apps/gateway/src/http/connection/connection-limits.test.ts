import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { limitConnections, type ConnectionLimits } from "./address-limits.ts";

let server: Server;
let rejected: string[];
const sockets: Socket[] = [];

async function serve(limits: Partial<ConnectionLimits>): Promise<void> {
  rejected = [];
  server = createServer((_request, response) => response.end("ok"));
  const onRejected = (limit: string) => rejected.push(limit);
  limitConnections(server, { max: 100, perAddressMax: 100, isProxy: () => false, onRejected, ...limits });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

/** Whether a new connection is served; it stays open then. */
async function isServed(localAddress: string): Promise<boolean> {
  // The server listens on a port.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  sockets.push(socket);
  socket.write("GET / HTTP/1.1\r\nHost: tally\r\n\r\n");
  return Promise.race([once(socket, "data").then(() => true), once(socket, "close").then(() => false)]);
}

test("an address gets its connections and no more, until one of them has closed", async () => {
  await serve({ perAddressMax: 2 });
  for (const served of [true, true, false]) expect(await isServed("127.0.0.1")).toBe(served);
  expect(await isServed("127.0.0.2")).toBe(true);
  expect(rejected).toEqual(["address"]);
  sockets[0]?.destroy();
  await vi.waitFor(async () => expect(await isServed("127.0.0.1")).toBe(true), 10_000);
});

test("all addresses together get no more than the limit, also behind a trusted proxy", async () => {
  await serve({ max: 3, perAddressMax: 1, isProxy: (address) => address === "127.0.0.1" });
  for (const address of ["127.0.0.1", "127.0.0.1", "127.0.0.2"]) expect(await isServed(address)).toBe(true);
  for (const address of ["127.0.0.1", "127.0.0.3"]) expect(await isServed(address)).toBe(false);
  expect(rejected).toEqual(["all", "all"]);
});
