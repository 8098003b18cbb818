import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** The way to a server, which a test can cut. */
export interface TcpSwitch {
  /** The URL of the server, by this way. */
  readonly url: string;
  /** How many bytes clients have sent to the server by this way. */
  bytesSent(): number;
  /** Bytes from clients are counted and go no further. */
  freeze(): void;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Passes bytes on to the server of a URL while it is not cut. */
export async function tcpSwitch(url: string): Promise<TcpSwitch> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isFrozen = false;
  let bytesSent = 0;
  const server = createServer((near) => {
    if (isCut) return void near.resetAndDestroy();
    const far = connect(Number(target.port), target.hostname);
    near.on("data", ({ length }) => (bytesSent += length));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("data", (data) => {
        if (!isFrozen) other.write(data);
      });
      // The close that follows ends the other side too.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a TCP server has a port");
  const own = new URL(url);
  own.host = `127.0.0.1:${address.port}`;
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: own.href,
    bytesSent: () => bytesSent,
    freeze() {
      isFrozen = true;
    },
    cut() {
      isCut = true;
      end();
    },
    mend() {
      isCut = false;
    },
    async close() {
      end();
      server.close();
      await once(server, "close");
    },
  };
}
