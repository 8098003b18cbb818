import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, zstdDecompress } from "node:zlib";
import { InvalidInput } from "@tally/pipeline";
import { BodyTooLarge } from "./read-body.ts";

/** The encodings of bodies that are decoded. */
export const expectedEncoding = "one of gzip, br, zstd, identity";

/** A body that decodes to at most `bytesMax` bytes. */
export type Decode = (body: Buffer, bytesMax: number) => Promise<Buffer>;

// Without the option, bytes behind the end of the stream would be dropped in silence.
const strict = { rejectGarbageAfterEnd: true };
// 8 MiB, what RFC 8878 asks of decoders; a header may ask for 2 GiB.
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const unzip = promisify(gunzip);
const unbrotli = promisify(brotliDecompress);
const unzstd = promisify(zstdDecompress);

const decoders = new Map<string, Decode>([
  ["gzip", (body, maxOutputLength) => unzip(body, { ...strict, maxOutputLength })],
  ["x-gzip", (body, maxOutputLength) => unzip(body, { ...strict, maxOutputLength })],
  ["br", (body, maxOutputLength) => unbrotli(body, { ...strict, maxOutputLength })],
  ["zstd", (body, maxOutputLength) => unzstd(body, { ...strict, ...zstdWindow, maxOutputLength })],
]);

/** The decoder for a Content-Encoding; "none" where the body is as it is, undefined for an unknown one and for several. */
export function decoderFor(encoding: string | undefined): Decode | "none" | undefined {
  if (encoding === undefined) return "none";
  const name = encoding.trim().toLowerCase();
  if (name === "identity" || name === "") return "none";
  const decode = decoders.get(name);
  return decode === undefined ? undefined : (body, bytesMax) => inLine(() => decoded(name, decode, body, bytesMax));
}

async function decoded(name: string, decode: Decode, body: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await decode(body, bytesMax);
  } catch (error) {
    if (error instanceof RangeError && Reflect.get(error, "code") === "ERR_BUFFER_TOO_LARGE") throw new BodyTooLarge();
    throw new InvalidInput("body", `valid ${name}`, error instanceof Error ? error.message : "other bytes");
  }
}

// As many as libuv has threads. Each holds up to the limit of its route while it runs, so more at once would only take more memory.
const atOnceMax = 4;
const line: (() => void)[] = [];
let running = 0;

async function inLine<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnceMax) await new Promise<void>((resolve) => line.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    // Hands its place to the next.
    const next = line.shift();
    if (next === undefined) running--;
    else next();
  }
}
