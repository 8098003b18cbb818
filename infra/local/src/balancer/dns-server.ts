import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer } from "dns-packet";

/** Where a service is. `host` is an IPv4 address. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * A DNS server for one service, on UDP of loopback. It responds as Docker's to `name` with the addresses, and to `_name._tcp` with SRV
 * records, which have ports too. Any other name does not exist.
 */
export class DnsServer {
  readonly #name: string;
  readonly #socket: Socket;
  #addresses: readonly ServiceAddress[] = [];

  private constructor(name: string, socket: Socket) {
    this.#name = name;
    this.#socket = socket;
    socket.on("message", (message, { port, address }) => {
      socket.send(this.#response(message), port, address);
    });
  }

  static async listen(name: string): Promise<DnsServer> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new DnsServer(name, socket);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** From the next query on. */
  set(addresses: readonly ServiceAddress[]): void {
    for (const { host } of addresses) if (!isIPv4(host)) throw new TypeError(`expected an IPv4 address, got ${host}`);
    this.#addresses = addresses;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, "close");
  }

  #response(query: Buffer): Buffer {
    const { id = 0, questions = [] } = decode(query);
    const { name, type } = questions[0] ?? { name: "", type: "A" };
    const isService = name === this.#name || name === `_${this.#name}._tcp`;
    const hosts = this.#addresses.map(({ host, port }, index) => ({ target: `${index}.${this.#name}`, host, port }));
    const asked = hosts.find(({ target }) => target === name);
    const noSuchName = 3;
    const addressOf = (to: string, data: string): Answer => ({ type: "A", name: to, ttl: 0, data });
    return encode({
      type: "response",
      id,
      flags: AUTHORITATIVE_ANSWER | (isService || asked !== undefined ? 0 : noSuchName),
      questions,
      answers:
        type === "SRV" && isService
          ? hosts.map(({ target, port }) => ({
              type: "SRV",
              name,
              ttl: 0,
              data: { target, port, weight: 1, priority: 1 },
            }))
          : type === "A"
            ? (asked === undefined ? (isService ? hosts : []) : [asked]).map(({ host }) => addressOf(name, host))
            : [],
      additionals: type === "SRV" && isService ? hosts.map(({ target, host }) => addressOf(target, host)) : [],
    });
  }
}
