import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What a proxy does with its connections. */
export type ProxyState =
  | { readonly name: "open" }
  /** Resets every connection, and new ones at once. */
  | { readonly name: "cut" }
  /** Reads and holds what arrives; passes nothing on and ends nothing. */
  | { readonly name: "frozen" }
  | { readonly name: "slow"; readonly delayMs: number }
  /** A bandwidth that all connections share. */
  | { readonly name: "narrow"; readonly bytesPerSecond: number };

/**
 * Sees each piece that one side sends; connections and the pieces of each are counted from 1. Returns what passes
 * instead; or "cut", which ends both sides and passes nothing; or "pass and cut", which ends the client and closes the
 * server's side after the piece.
 */
export type OnPiece = (piece: Buffer, connection: number, number: number) => Buffer | "cut" | "pass and cut";

export interface ProxyOptions {
  /** Where it listens on loopback; 0, the default, takes a free port. */
  readonly port?: number;
  readonly onRequest?: OnPiece;
  readonly onResponse?: OnPiece;
}

/** A TCP connection to one server that a test or a drill can disturb. */
export interface TcpProxy {
  /** The server's URL with the proxy's address. */
  readonly url: string;
  readonly port: number;
  /** Bytes that clients have sent so far, held ones included. */
  readonly bytesSent: number;
  /** Connections that were accepted so far. */
  readonly connections: number;
  /** Connections that were refused so far. */
  readonly refused: number;
  /** Resolves when the next connection is accepted or refused. */
  nextConnection(): Promise<unknown>;
  become(state: ProxyState): void;
  /** Resets every connection that is open now; the next one is accepted. */
  endConnections(): void;
  /** Passes nothing more on the connections that are open now; the next one works. */
  freezeConnections(): void;
  close(): Promise<void>;
}

const heldBytesMax = 256 * 1024;
const passAll: OnPiece = (piece) => piece;

/** Listens on loopback and passes everything on to the server of `url`, which must name its port. */
export async function openTcpProxy(
  url: string,
  { port = 0, onRequest = passAll, onResponse = passAll }: ProxyOptions = {},
): Promise<TcpProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  const pumps = new Set<() => void>();
  let state: ProxyState = { name: "open" };
  let narrowUntil = 0;
  let [bytesSent, connections, refused] = [0, 0, 0];

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    if (state.name === "cut") {
      refused++;
      near.resetAndDestroy();
      return;
    }
    const connection = ++connections;
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true, allowHalfOpen: true });
    carry(near, far, (piece, number) => {
      bytesSent += piece.length;
      return onRequest(piece, connection, number);
    });
    carry(far, near, (piece, number) => onResponse(piece, connection, number));
  });

  /** One direction of a connection. */
  function carry(from: Socket, to: Socket, onPiece: (piece: Buffer, number: number) => ReturnType<OnPiece>): void {
    // Keeps the order even when the delay changes; undefined is the end of the stream.
    const queue: { readonly piece: Buffer | undefined; readonly dueAt: number }[] = [];
    let [heldBytes, pieces, ended] = [0, 0, false];
    let timer: NodeJS.Timeout | undefined;
    sockets.add(from);

    const pump = (): void => {
      clearTimeout(timer);
      timer = undefined;
      for (let head = queue[0]; head !== undefined && !isFrozen(from); head = queue[0]) {
        const waitMs = head.dueAt - performance.now();
        if (waitMs > 0) {
          timer = setTimeout(pump, waitMs);
          break;
        }
        queue.shift();
        heldBytes -= head.piece?.length ?? 0;
        if (head.piece === undefined) {
          pumps.delete(pump);
          to.end();
        } else if (!to.destroyed) to.write(head.piece);
      }
      if (heldBytes > heldBytesMax || to.writableNeedDrain) from.pause();
      else from.resume();
    };
    const enqueue = (piece: Buffer | undefined): void => {
      const dueAt = performance.now() + delayMsOf(piece?.length ?? 0);
      queue.push({ piece, dueAt: Math.max(dueAt, queue.at(-1)?.dueAt ?? 0) });
      heldBytes += piece?.length ?? 0;
      if (timer === undefined) pump();
    };
    const end = (): void => {
      ended = true;
      enqueue(undefined);
    };
    pumps.add(pump);
    from.on("data", (data: Buffer) => {
      const passed = onPiece(data, ++pieces);
      if (passed === "cut") {
        from.destroy();
        return;
      }
      enqueue(passed === "pass and cut" ? data : passed);
      if (passed !== "pass and cut") return;
      // An orderly end: a reset could take the piece from the server before it is read.
      end();
      from.destroy();
    });
    from.on("end", end);
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      // After an orderly end the queue may still hold the last pieces.
      if (ended) return;
      pumps.delete(pump);
      clearTimeout(timer);
      to.destroy();
    });
    to.on("drain", pump);
    pump();
  }

  const isFrozen = (socket: Socket): boolean => state.name === "frozen" || frozen.has(socket);

  function delayMsOf(bytes: number): number {
    if (state.name === "slow") return state.delayMs;
    if (state.name !== "narrow") return 0;
    const now = performance.now();
    narrowUntil = Math.max(narrowUntil, now) + (bytes / state.bytesPerSecond) * 1000;
    return narrowUntil - now;
  }

  function endConnections(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a TCP server has a port");
  const own = new URL(url);
  own.host = `127.0.0.1:${address.port}`;
  return {
    url: own.href,
    port: address.port,
    get bytesSent() {
      return bytesSent;
    },
    get connections() {
      return connections;
    },
    get refused() {
      return refused;
    },
    nextConnection: () => once(server, "connection"),
    become(next) {
      state = next;
      if (next.name === "cut") endConnections();
      else for (const pump of pumps) pump();
    },
    endConnections,
    freezeConnections() {
      for (const socket of sockets) frozen.add(socket);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
