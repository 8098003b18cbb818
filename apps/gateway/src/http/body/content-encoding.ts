import { brotliDecompress, constants, gunzip, zstdDecompress, type CompressCallback } from "node:zlib";
import { InvalidInput } from "@tally/contract";
import { DecodeLine, type DecodeOwner } from "./decode-line.ts";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/client-error.ts";

/** The encodings of bodies that are decoded. */
export const expectedEncoding = "one of gzip, br, zstd, identity";

/**
 * Decodes a body to at most `bytesMax` bytes, outside the main thread, in turns with other clients. The callback gets BODY_TOO_LARGE,
 * InvalidInput, or BODIES_FULL when too many bodies of this client wait. It is not called when the connection is closed before its turn.
 */
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

const unzip: Decoder = (body, maxOutputLength, done) => gunzip(body, { ...strict, maxOutputLength }, done);
const decoders = new Map<string, Decoder>([
  ["gzip", unzip],
  ["x-gzip", unzip],
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

// The number of libuv threads: each body holds up to the limit of its route, so more at once would only use more memory. One client gets half.
const line = new DecodeLine({ atOnceMax: 4, perClientMax: 2, waitingPerClientMax: 64 });
