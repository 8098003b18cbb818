import { randomInt } from "node:crypto";
import getPort from "get-port";

/**
 * Distinct ports on 127.0.0.1 that were free a moment ago. Below 32768, where Linux begins to assign ports to outgoing connections: such a
 * port can be taken by any client while its server is down, and a client that retries a dead one can connect to itself.
 */
export async function freePorts(count: number, range: PortRange = usualPorts): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await getPort({ host: "127.0.0.1", port: candidates(range) }));
  return ports;
}

/** The first port, and the one after the last. */
type PortRange = readonly [number, number];

const usualPorts: PortRange = [15_000, 32_000];

/** For a port that another launcher must not choose, before it is in use. */
export const portsOfNoLauncher: PortRange = [32_000, 32_768];

function* candidates([first, end]: PortRange): Generator<number> {
  for (;;) yield randomInt(first, end);
}
