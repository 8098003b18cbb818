import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

// Below 32768, where Linux begins to hand out ports for outgoing connections. A port from that range can be taken by any client
// while its server is down; worse, a client that keeps knocking at a dead port of that range can end up connected to itself.
const FIRST = 15_000;
const LAST = 32_000;

/** Distinct ports on 127.0.0.1 that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(FIRST, LAST);
    const server = await listen(port);
    if (server === undefined) continue;
    held.push(server);
    ports.push(port);
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
