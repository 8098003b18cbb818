import type { Server } from "node:http";
import { BlockList, isIPv4, isIPv6, type Socket } from "node:net";

/** Whether an address is one of a list of addresses and networks (10.0.0.0/8). */
export function addressesIn(list: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of list) {
    const [network = "", prefix] = entry.split("/");
    const family = isIPv6(network) ? "ipv6" : "ipv4";
    if (prefix === undefined) trusted.addAddress(network, family);
    else trusted.addSubnet(network, Number(prefix), family);
  }
  return (address) => {
    const plain = withoutMapping(address);
    if (isIPv4(plain)) return trusted.check(plain, "ipv4");
    return isIPv6(plain) && trusted.check(plain, "ipv6");
  };
}

/**
 * What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because an IPv6 client can use
 * any address of its /64.
 */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return "";
  const plain = withoutMapping(address);
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail === undefined) return groups.slice(0, 4).join(":");
  const last = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - groups.length - last.length }, () => "0");
  return [...groups, ...zeros, ...last].slice(0, 4).join(":");
}

// A dual-stack socket reports IPv4 clients as ::ffff:a.b.c.d.
function withoutMapping(address: string): string {
  return address.startsWith("::ffff:") && isIPv4(address.slice(7)) ? address.slice(7) : address;
}

export interface ConnectionLimits {
  readonly max: number;
  readonly perAddressMax: number;
  /** Proxies: their connections carry many clients, so only the limit of all connections applies. */
  readonly isProxy: (address: string) => boolean;
  readonly onRejected: (limit: "all" | "address") => void;
}

/** Closes connections beyond the limits immediately, before anything is read from them. */
export function limitConnections(server: Server, options: ConnectionLimits): void {
  server.maxConnections = options.max;
  server.on("drop", () => options.onRejected("all"));
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    // The client has disconnected already.
    if (address === undefined || options.isProxy(address)) return;
    const client = clientOf(address);
    const count = (open.get(client) ?? 0) + 1;
    if (count > options.perAddressMax) {
      options.onRejected("address");
      socket.destroy();
      return;
    }
    open.set(client, count);
    socket.once("close", () => {
      const left = (open.get(client) ?? 0) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
  });
}
