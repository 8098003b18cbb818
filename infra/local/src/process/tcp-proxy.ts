import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export type ProxyState =
  | { readonly name: "open" }
  /** Resets every connection, and new ones at once. */
  | { readonly name: "cut" }
  /** Reads and holds what arrives; passes nothing on and ends nothing. */
  | { readonly name: "frozen" }
  | { readonly name: "slow"; readonly delayMs: number };

/** Returns what passes instead of a piece; or "cut"; or "pass and cut", which ends both sides after it. */
export type OnPiece = (piece: Buffer, connection: number, number: number) => Buffer | "cut" | "pass and cut";

export interface ProxyOptions {
  /** Where it listens on loopback; 0, the default, takes a free port. */
  readonly port?: number;
  readonly onRequest?: OnPiece;
  readonly onResponse?: OnPiece;
}

/** A TCP connection to one server that a test or a drill can disturb. */
export type TcpProxy = Awaited<ReturnType<typeof openTcpProxy>>;

const heldBytesMax = 256 * 1024;
const passAll: OnPiece = (piece) => piece;

/** Listens on loopback and passes everything on to the server of `url`, which must name its port. */
export async function openTcpProxy(
  url: string,
  { port = 0, onRequest = passAll, onResponse = passAll }: ProxyOptions = {},
) {
  const target = new URL(url);
  const wires = new Wires();
  let [bytesSent, connections, refused] = [0, 0, 0];

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    if (wires.state.name === "cut") {
      refused++;
      near.resetAndDestroy();
      return;
    }
    const connection = ++connections;
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true, allowHalfOpen: true });
    wires.carry(near, far, (piece, number) => {
      bytesSent += piece.length;
      return onRequest(piece, connection, number);
    });
    wires.carry(far, near, (piece, number) => onResponse(piece, connection, number));
  });

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a TCP server has a port");
  const own = new URL(url);
  own.host = `127.0.0.1:${address.port}`;
  return {
    /** The server's URL with the proxy's address. */
    url: own.href,
    port: address.port,
    /** Bytes that clients have sent so far, held ones included. */
    get bytesSent() {
      return bytesSent;
    },
    get connections() {
      return connections;
    },
    get refused() {
      return refused;
    },
    /** Resolves when the next connection is accepted or refused. */
    nextConnection: () => once(server, "connection"),
    become: (state: ProxyState) => wires.become(state),
    /** Resets every connection that is open now; the next one is accepted. */
    endConnections: () => wires.endAll(),
    freezeConnections: () => wires.freezeAll(),
    async close() {
      wires.destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type OnData = (piece: Buffer, number: number) => ReturnType<OnPiece>;

class Wires {
  state: ProxyState = { name: "open" };
  readonly #sockets = new Set<Socket>();
  readonly #frozen = new WeakSet<Socket>();
  readonly #pumps = new Set<() => void>();

  become(state: ProxyState): void {
    this.state = state;
    if (state.name === "cut") this.endAll();
    else for (const pump of this.#pumps) pump();
  }

  endAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  freezeAll(): void {
    for (const socket of this.#sockets) this.#frozen.add(socket);
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  carry(from: Socket, to: Socket, onPiece: OnData): void {
    let [pieces, ended] = [0, false];
    this.#sockets.add(from);
    const { enqueue, pump, drop } = this.#openQueue(from, to);
    const end = (): void => {
      ended = true;
      enqueue(undefined);
    };
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
      this.#sockets.delete(from);
      // After an orderly end the queue may still hold the last pieces.
      if (ended) return;
      drop();
      to.destroy();
    });
    to.on("drain", pump);
    pump();
  }

  /** Holds pieces until they are due. Keeps the order even when the delay changes; undefined is the end of the stream.
   */
  #openQueue(from: Socket, to: Socket) {
    const queue: { readonly piece: Buffer | undefined; readonly dueAt: number }[] = [];
    let heldBytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const isFrozen = (): boolean => this.state.name === "frozen" || this.#frozen.has(from);
    const pump = (): void => {
      clearTimeout(timer);
      timer = undefined;
      for (let head = queue[0]; head !== undefined && !isFrozen(); head = queue[0]) {
        const waitMs = head.dueAt - performance.now();
        if (waitMs > 0) {
          timer = setTimeout(pump, waitMs);
          break;
        }
        queue.shift();
        heldBytes -= head.piece?.length ?? 0;
        if (head.piece === undefined) {
          this.#pumps.delete(pump);
          to.end();
        } else if (!to.destroyed) to.write(head.piece);
      }
      if (heldBytes > heldBytesMax || to.writableNeedDrain) from.pause();
      else from.resume();
    };
    this.#pumps.add(pump);
    return {
      pump,
      enqueue: (piece: Buffer | undefined): void => {
        const delayMs = this.state.name === "slow" ? this.state.delayMs : 0;
        queue.push({ piece, dueAt: Math.max(performance.now() + delayMs, queue.at(-1)?.dueAt ?? 0) });
        heldBytes += piece?.length ?? 0;
        if (timer === undefined) pump();
      },
      drop: (): void => {
        this.#pumps.delete(pump);
        clearTimeout(timer);
      },
    };
  }
}
