import { connect, createServer, type Socket } from "node:net";

/** How a link behaves: as a wire, not at all, without an end or an answer, or with a delay on everything it carries. */
export type LinkState =
  | { readonly name: "open" }
  | { readonly name: "cut" }
  | { readonly name: "stalled" }
  | { readonly name: "slow"; readonly delayMs: number }
  /** Carries so many bytes a second, all its connections together. */
  | { readonly name: "narrow"; readonly bytesPerSecond: number };

/** The way from one process to one server, in our hands. */
export interface Link {
  readonly port: number;
  become(state: LinkState): void;
  close(): Promise<void>;
}

const queuedBytesMax = 256 * 1024;

/** Listens on a free port of loopback and passes everything on to another. */
export async function openLink(targetPort: number): Promise<Link> {
  const sockets = new Set<Socket>();
  let state: LinkState = { name: "open" };
  let narrowUntil = 0;

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (state.name === "cut") {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: targetPort, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    near.setNoDelay(true);
    carry(near, far);
    carry(far, near);
  });

  function carry(from: Socket, to: Socket): void {
    // In order, however the delays change; undefined is the end.
    const queue: { readonly piece: Buffer | undefined; readonly dueAt: number }[] = [];
    let queuedBytes = 0;
    let timer: NodeJS.Timeout | undefined;
    sockets.add(from);

    const flow = () => {
      const full = queuedBytes > queuedBytesMax || to.writableNeedDrain;
      if (full || state.name === "stalled") from.pause();
      else from.resume();
    };
    const pump = () => {
      timer = undefined;
      for (let head = queue[0]; head !== undefined; head = queue[0]) {
        const waitMs = head.dueAt - performance.now();
        if (waitMs > 0) {
          timer = setTimeout(pump, waitMs);
          break;
        }
        queue.shift();
        queuedBytes -= head.piece?.length ?? 0;
        if (head.piece === undefined) to.end();
        else if (!to.destroyed) to.write(head.piece);
      }
      flow();
    };
    const enqueue = (piece: Buffer | undefined) => {
      const dueAt = performance.now() + delayOf(piece?.length ?? 0);
      queue.push({ piece, dueAt: Math.max(dueAt, queue.at(-1)?.dueAt ?? 0) });
      queuedBytes += piece?.length ?? 0;
      if (timer === undefined) pump();
    };
    from.on("data", enqueue);
    let ended = false;
    from.on("end", () => {
      ended = true;
      enqueue(undefined);
    });
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      // One that came to its end still has in the queue what it said last.
      if (ended) return;
      clearTimeout(timer);
      to.destroy();
    });
    to.on("drain", flow);
    flow();
  }

  function delayOf(bytes: number): number {
    if (state.name === "slow") return state.delayMs;
    if (state.name !== "narrow") return 0;
    const now = performance.now();
    narrowUntil = Math.max(narrowUntil, now) + (bytes / state.bytesPerSecond) * 1000;
    return narrowUntil - now;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a TCP server has a port");
  return {
    port: address.port,
    become(next) {
      state = next;
      if (next.name === "cut") for (const socket of sockets) socket.resetAndDestroy();
      else if (next.name === "stalled") for (const socket of sockets) socket.pause();
      else for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
