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
    const isTaken = line.enter(owner, (leave) =>
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

type DecodeLimits = Readonly<Record<"atOnceMax" | "perClientMax" | "waitingPerClientMax", number>>;

/** Bounds how many bodies are decoded at once: in all, and for one client. Clients take turns, so that one client's
 * expensive bodies do not delay those of others. Work whose connection is closed is dropped. */
export class DecodeLine {
  readonly #limits: DecodeLimits;
  /** By client; the client whose turn is next comes first. One without waiting or running work is removed. */
  readonly #clients = new Map<string, { readonly waiting: Waiting[]; running: number }>();
  #running = 0;

  constructor(limits: DecodeLimits) {
    this.#limits = limits;
  }

  /** False when too much work of this client waits already; then it is not taken. */
  enter(owner: DecodeOwner, work: Waiting["work"]): boolean {
    const own = this.#clients.get(owner.client) ?? { waiting: [], running: 0 };
    if (own.waiting.length >= this.#limits.waitingPerClientMax) return false;
    own.waiting.push({ work, owner });
    this.#clients.set(owner.client, own);
    this.#startNext();
    return true;
  }

  #startNext(): void {
    for (const [client, own] of this.#clients) {
      if (this.#running >= this.#limits.atOnceMax) return;
      while (own.waiting[0]?.owner.isGone() === true) own.waiting.shift();
      if (own.waiting.length === 0 && own.running === 0) this.#clients.delete(client);
      const next = own.running < this.#limits.perClientMax ? own.waiting.shift() : undefined;
      if (next === undefined) continue;
      // Moves the client to the end of the rotation, where this loop visits it again.
      this.#clients.delete(client);
      this.#clients.set(client, own);
      own.running++;
      this.#running++;
      next.work(() => {
        own.running--;
        this.#running--;
        this.#startNext();
      });
    }
  }
}

// libuv has 4 threads: more at once would only use more memory. One client gets half.
const line = new DecodeLine({ atOnceMax: 4, perClientMax: 2, waitingPerClientMax: 64 });
