import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { clientOf } from "./client-address.ts";

/** Limits what all clients hold together, such as bytes or connections, and what one address holds. */
export class AddressBudget {
  readonly #max: number;
  readonly #perAddressMax: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(max: number, perAddressMax: number) {
    this.#max = max;
    this.#perAddressMax = perAddressMax;
  }

  /** Returns false, and takes nothing, when it would exceed the budget or the limit of the address. */
  take(address: string, amount: number): boolean {
    const held = (this.#held.get(address) ?? 0) + amount;
    if (this.#total + amount > this.#max || held > this.#perAddressMax) return false;
    this.#total += amount;
    this.#held.set(address, held);
    return true;
  }

  release(address: string, amount: number): void {
    const held = (this.#held.get(address) ?? 0) - amount;
    this.#total -= amount;
    if (held === 0) this.#held.delete(address);
    else this.#held.set(address, held);
  }
}

/** Whether there is room for a response of `bytes`, which then holds them. It is sent after at most `withinMs`. */
export type HasRoom = (reply: FastifyReply, bytes: number, withinMs?: number) => boolean;

// Smaller ones, which are nearly all, are not counted: the limits of connections bound them. A connection can have many
// that wait for the one before them.
const uncountedBytes = 16_384;
const uncountedWaitingBytes = 1024;

/** Bounds the memory of large responses: each holds its bytes of the budget until its client has all, disconnects, or
 * reads nothing for `stalledAfterMs`. */
export function responseBudget(budget: AddressBudget, stalledAfterMs = 30_000): HasRoom {
  return ({ raw, request }, bytes, withinMs = 0) => {
    const isWaiting = raw.socket === null;
    // The client disconnected meanwhile: nothing will be sent.
    if (bytes <= (isWaiting ? uncountedWaitingBytes : uncountedBytes) || raw.destroyed) return true;
    const client = clientOf(request.ip);
    if (!budget.take(client, bytes)) return false;
    raw.once("close", () => budget.release(client, bytes));
    // Restarts whenever the client reads. Node resets it when the response is sent.
    raw.setTimeout(withinMs + stalledAfterMs);
    return true;
  };
}

export interface ConnectionLimits {
  readonly max: number;
  readonly perAddressMax: number;
  /** Proxies: their connections carry many clients, so only the limit of all connections applies. */
  readonly isProxy: (address: string) => boolean;
  readonly onRejected: (limit: "all" | "address") => void;
}

/** Closes connections beyond the limits immediately, before anything is read from them. */
export function limitConnections(server: Server, { max, perAddressMax, isProxy, onRejected }: ConnectionLimits): void {
  let open = 0;
  const openOfAddress = new AddressBudget(Infinity, perAddressMax);
  // Not Node's maxConnections: several sockets listen for the server.
  server.on("connection", (socket: Socket) => {
    const reject = (limit: "all" | "address"): void => {
      onRejected(limit);
      socket.destroy();
    };
    const address = socket.remoteAddress;
    // The client has reset the connection already. What it sent could still be read, and would have no address.
    if (address === undefined) return void socket.destroy();
    if (open === max) return reject("all");
    open++;
    socket.once("close", () => open--);
    if (isProxy(address)) return;
    const client = clientOf(address);
    if (!openOfAddress.take(client, 1)) return reject("address");
    socket.once("close", () => openOfAddress.release(client, 1));
  });
}
