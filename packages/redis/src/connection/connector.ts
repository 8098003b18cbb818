import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";

/**
 * Opens the sockets of ioredis as its own connector does, and listens for their errors as long as they exist. ioredis listens for the first
 * one only. A TLS socket can have two: its certificate is not trusted, and the server's next bytes are not TLS. The second one would end the
 * process.
 */
export class Connector extends AbstractConnector {
  readonly #options: RedisOptions;

  constructor(given: unknown) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ioredis gives the options of the connection, with its defaults
    const options = given as RedisOptions;
    super(options.disconnectTimeout ?? 0);
    this.#options = options;
  }

  override connect(): Promise<Socket> {
    const { host = "localhost", port = 6379, family = 0, tls } = this.#options;
    const address = { host, port, family };
    this.connecting = true;
    const socket = tls === undefined ? connectTcp(address) : connectTls({ ...address, ...tls });
    socket.on("error", (error) => (this.firstError = error));
    this.stream = socket;
    return Promise.resolve(socket);
  }
}
