import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { ServiceError } from "./run-command.ts";

/** Free ports that no other process gets here meanwhile, below 32768, where outgoing connections take none. */
export async function freePorts(count: number, range: PortRange = usualPorts): Promise<number[]> {
  const block = await blocks.getOrInsertComputed(range, claimBlock);
  const ports: number[] = [];
  for (let tried = 0; ports.length < count; tried++) {
    if (tried === portsOfBlock)
      throw new ServiceError("no-free-port", `fewer than ${count} of the ports from ${block.first} on are free`);
    block.last = (block.last % portsOfBlock) + 1;
    const port = block.first + block.last;
    const server = await listenOn(port);
    if (server === undefined) continue;
    server.close();
    await once(server, "close");
    ports.push(port);
  }
  return ports;
}

type PortRange = readonly [number, number];

const usualPorts: PortRange = [15_000, 32_000];

/** For a port that the launcher of an older checkout must not choose, before it is in use. */
export const portsOfNoLauncher: PortRange = [32_000, 32_700];

const portsOfBlock = 99;
const blockSize = portsOfBlock + 1;
const blocks = new Map<PortRange, ReturnType<typeof claimBlock>>();

/** Claims a block by listening on its first port until this process ends. `last`: how far after it the last port was
 * that was handed out. A process that asks for more ports than there are gets the free ones again, in turn. */
async function claimBlock([first, end]: PortRange) {
  const count = Math.floor((end - first) / blockSize);
  // Not always the first free one: a client of a system that has just ended may still try its ports.
  const start = randomInt(count);
  for (let tried = 0; tried < count; tried++) {
    const port = first + ((start + tried) % count) * blockSize;
    const claim = await listenOn(port);
    if (claim === undefined) continue;
    claim.unref();
    return { first: port, last: 0 };
  }
  throw new ServiceError("no-free-port", `other processes have claimed all ports from ${first} to ${end - 1}`);
}

/** undefined: the port is in use. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ host: "127.0.0.1", port, exclusive: true });
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return undefined;
    throw error;
  }
}
