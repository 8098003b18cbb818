import { brotliCompress, constants, gzip, zstdCompress, type CompressCallback } from "node:zlib";
import type { FastifyInstance, onSendHookHandler } from "fastify";

// For smaller responses, compression saves less than one packet.
const bytesMin = 2048;

type Encoder = (text: string, done: CompressCallback) => void;

// Order of preference among encodings of equal weight. Each level compresses about 100 MB/s.
const encoders = new Map<string, Encoder>([
  ["zstd", zstdCompress],
  ["br", (text, done) => brotliCompress(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, done)],
  ["gzip", (text, done) => gzip(text, { level: 4 }, done)],
]);

/**
 * Compresses texts of 2 KiB and more for clients that accept it, outside the main thread. Pictures are bytes and stay as they are. A small
 * response costs one comparison. Call it before routes are added.
 */
export function addCompression(app: FastifyInstance): void {
  const compress: onSendHookHandler = (request, reply, payload, done) => {
    if (typeof payload !== "string" || payload.length < bytesMin) return done();
    // A cache must not return it to a client that cannot decode it.
    reply.header("vary", "accept-encoding");
    const name = preferredEncoding(request.headers["accept-encoding"]);
    const encode = name === undefined ? undefined : encoders.get(name);
    if (name === undefined || encode === undefined) return done();
    encode(payload, (error, compressed) => {
      if (error !== null) return done(error);
      reply.header("content-encoding", name);
      reply.removeHeader("content-length");
      done(null, compressed);
    });
  };
  app.addHook("onRoute", (route) => {
    // The response to an event runs no hook.
    if (route.config?.isShort !== true) route.onSend = [compress, ...[route.onSend ?? []].flat()];
  });
}

/** The encoding of `names` with the highest weight in an Accept-Encoding (RFC 9110, 12.5.3), the first of equal ones; undefined for none. */
export function preferredEncoding(
  header: string | string[] | undefined,
  names: readonly string[] = [...encoders.keys()],
): string | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(
    String(header)
      .toLowerCase()
      .split(",", 20)
      .map((entry) => {
        const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
        // An invalid weight, such as "q=x", counts as 0.
        const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
        return [name === "x-gzip" ? "gzip" : name, Number(weight) || 0];
      }),
  );
  const weightOf = (name: string): number => weights.get(name) ?? weights.get("*") ?? 0;
  const [best] = names.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : undefined;
}
