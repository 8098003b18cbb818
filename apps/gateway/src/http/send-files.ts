import { Readable } from "node:stream";
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import files from "@fastify/static";
import type { FastifyInstance, FastifyReply, onSendHookHandler } from "fastify";
import { rejection } from "../errors/catalogue.ts";
import { ClientError } from "../errors/reject.ts";

// For smaller responses, compression saves less than one packet.
const compressedBytesMin = 2048;
// What a file holds at most while its client reads nothing, compressed or not.
const streamBytesMax = 1024 * 1024;
// An error has its own type and length.
const headersOfPayload = ["cache-control", "content-disposition", "etag", "last-modified"];

/** Compresses texts of later routes without `compress: false` for clients that accept it, and sends files of pages. Large
 * responses to GETs are sent only while there is room; another request has already been carried out. */
export async function addFilesAndCompression(app: FastifyInstance): Promise<void> {
  const beforeCompression: onSendHookHandler = (request, reply, payload, done) => {
    const bytes = bytesOf(payload, reply);
    // The plugin says so only where it compresses.
    if (typeof payload === "string" && bytes >= compressedBytesMin) reply.header("vary", "accept-encoding");
    // 304 has no body.
    const isCounted = request.method === "GET" && reply.statusCode !== 304;
    if (!isCounted || app.hasRoom(reply, bytes)) return done();
    if (payload instanceof Readable) payload.destroy();
    for (const name of headersOfPayload) reply.removeHeader(name);
    done(new ClientError(rejection("RESPONSES_FULL")));
  };
  app.addHook("onRoute", (route) => {
    if (route.compress !== false) route.onSend = [beforeCompression, ...[route.onSend ?? []].flat()];
  });
  await app.register(compress, {
    threshold: compressedBytesMin,
    // Never in the main thread.
    syncThreshold: 0,
    // In the order of preference among encodings of equal weight. Each level compresses about 100 MB/s.
    encodings: ["zstd", "br", "gzip"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 4 },
    // Bodies of requests are decoded within their byte budget: body/content-encoding.ts.
    globalDecompression: false,
  });
  await app.register(files, { serve: false, acceptRanges: false, cacheControl: false, lastModified: false });
}

function bytesOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === "string" || Buffer.isBuffer(payload)) return Buffer.byteLength(payload);
  const fileBytes = Number(reply.getHeader("content-length") ?? streamBytesMax);
  return payload instanceof Readable ? Math.min(fileBytes, streamBytesMax) : 0;
}

interface PageFile {
  readonly folder: string;
  readonly name: string;
  /** Its Content-Security-Policy, without what all pages have. */
  readonly policy: string;
  /** Default: a browser asks again each time, and gets 304 while the file is the same. */
  readonly cacheControl?: string;
}

/** Sends a file of a page, which holds no data. */
export function sendPageFile(reply: FastifyReply, { folder, name, policy, cacheControl = "no-cache" }: PageFile) {
  reply.headers({
    "cache-control": cacheControl,
    "content-security-policy": `default-src 'none'; script-src 'self'; connect-src 'self'; ${policy}; ${closed}`,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  return reply.sendFile(name, folder);
}

const closed = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
