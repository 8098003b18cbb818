import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What the proxy does with a piece of the server's answer: passes it on, replaces it, or cuts the connection. */
export type OnAnswer = (answer: Buffer, connection: number, piece: number) => Buffer | "cut";

/** A way to the server of `url` that a test can cut and restore. `onAnswer` counts connections and their answers from 1. */
export async function openTcpProxy(url: string, onAnswer: OnAnswer = (answer) => answer) {
  const target = new URL(url);
  const open = new Set<Socket>();
  let connections = 0;
  let refusing = false;
  let refused = 0;

  const server = createServer((client) => {
    if (refusing) {
      refused++;
      client.destroy();
      return;
    }
    const connection = ++connections;
    let piece = 0;
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    client.setNoDelay(true);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        end();
      });
    }
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => {
      const passed = onAnswer(Buffer.from(data), connection, ++piece);
      if (passed === "cut") end();
      else client.write(passed);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const proxied = new URL(url);
  proxied.hostname = "127.0.0.1";
  proxied.port = String(address.port);

  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: proxied.href,
    /** How many connections were let in so far. */
    get connections() {
      return connections;
    },
    /** How many connections were turned away so far. */
    get refused() {
      return refused;
    },
    /** Resolves when another connection is let in or turned away. */
    nextConnection: () => once(server, "connection"),
    /** Ends every connection; the next one is let in. */
    cut,
    /** Ends every connection and lets none in until `restore`. */
    goDown() {
      refusing = true;
      cut();
    },
    restore() {
      refusing = false;
    },
    /** Nothing passes, nothing ends: a peer that is frozen. */
    freeze() {
      for (const socket of open) socket.pause();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
