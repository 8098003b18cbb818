import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientOf } from "./client-address.ts";

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
