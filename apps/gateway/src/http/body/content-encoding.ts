import { brotliDecompress, type CompressCallback, constants, gunzip, zstdDecompress } from "node:zlib";
import { InvalidInput } from "@tally/contract";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/reject.ts";

export const expectedEncoding = "one of gzip, br, zstd, identity";

/** Decodes a body outside the main thread, in turns with other clients. The callback gets BODY_TOO_LARGE, InvalidInput,
 * or BODIES_FULL when too many bodies of this client wait. It is not called when the client disconnects before. */
export type Decode = (
  body: Buffer,
  bytesMax: number,
  owner: DecodeOwner,
  done: (error: Error | null, decoded: Buffer) => void,
) => void;

type Decoder = (body: Buffer, maxOutputLength: number, done: CompressCallback) => void;

// Without this option, bytes after the end of the stream are ignored silently.
const strict = { rejectGarbageAfterEnd: true };
// 8 MiB, what RFC 8878 requires of decoders; a header may demand 2 GiB.
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const decoders = new Map<string, Decoder>([
  ["gzip", (body, maxOutputLength, done) => gunzip(body, { ...strict, maxOutputLength }, done)],
  ["x-gzip", (body, maxOutputLength, done) => gunzip(body, { ...strict, maxOutputLength }, done)],
  ["br", (body, maxOutputLength, done) => brotliDecompress(body, { ...strict, maxOutputLength }, done)],
  ["zstd", (body, maxOutputLength, done) => zstdDecompress(body, { ...strict, ...zstdWindow, maxOutputLength }, done)],
]);

/** The decoder for a Content-Encoding; "none" for identity, undefined for an unknown one and for several. */
export function decoderFor(encoding: string | undefined): Decode | "none" | undefined {
  if (encoding === undefined) return "none";
  const name = encoding.trim().toLowerCase();
  if (name === "identity" || name === "") return "none";
  const decoder = decoders.get(name);
  if (decoder === undefined) return undefined;
  return (body, bytesMax, owner, done) => {
    const isTaken = enterLine(owner, (leave) =>
      decoder(body, bytesMax, (error, decoded) => {
        leave();
        done(error === null ? null : rejectionOf(error, name), decoded);
      }),
    );
    if (!isTaken) done(new ClientError(rejection("BODIES_FULL")), body);
  };
}

function rejectionOf(error: NodeJS.ErrnoException, name: string): Error {
  return error.code === "ERR_BUFFER_TOO_LARGE"
    ? new ClientError(rejection("BODY_TOO_LARGE"))
    : new InvalidInput("body", `valid ${name}`, error.message);
}

export interface DecodeOwner {
  /** From clientOf. */
  readonly client: string;
  /** Its connection is closed: nothing needs the result. */
  readonly isGone: () => boolean;
}

interface Waiting {
  readonly owner: DecodeOwner;
  /** Does the work and calls `leave` when it is done. */
  readonly work: (leave: () => void) => void;
}

/** Bounds how many bodies are decoded at once: in all, and for one client. Clients take turns, so that one client's
 * expensive bodies do not delay those of others. Work whose connection is closed is dropped. The function returns
 * false when too much work of this client waits already; then it is not taken. */
export function decodeLine(limits: Readonly<Record<"atOnceMax" | "perClientMax" | "waitingPerClientMax", number>>) {
  /** By client; the client whose turn is next comes first. One without waiting or running work is removed. */
  const clients = new Map<string, { readonly waiting: Waiting[]; running: number }>();
  let running = 0;

  function startNext(): void {
    for (const [client, own] of clients) {
      if (running >= limits.atOnceMax) return;
      while (own.waiting[0]?.owner.isGone() === true) own.waiting.shift();
      if (own.waiting.length === 0 && own.running === 0) clients.delete(client);
      const next = own.running < limits.perClientMax ? own.waiting.shift() : undefined;
      if (next === undefined) continue;
      // Moves the client to the end of the rotation, where this loop visits it again.
      clients.delete(client);
      clients.set(client, own);
      own.running++;
      running++;
      next.work(() => {
        own.running--;
        running--;
        startNext();
      });
    }
  }

  return (owner: DecodeOwner, work: Waiting["work"]): boolean => {
    const { waiting } = clients.getOrInsertComputed(owner.client, () => ({ waiting: [], running: 0 }));
    if (waiting.length >= limits.waitingPerClientMax) return false;
    waiting.push({ work, owner });
    startNext();
    return true;
  };
}

// libuv has 4 threads: more at once would only use more memory. One client gets half.
const enterLine = decodeLine({ atOnceMax: 4, perClientMax: 2, waitingPerClientMax: 64 });
