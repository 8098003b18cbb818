import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { InvalidInput } from "@tally/contract";
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/reject.ts";
import { clientOf } from "../connection/client-address.ts";
import { countHeader } from "../connection/wire.ts";
import { BulkBody } from "./bulk-entries.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { type Decode, decoderFor, expectedEncoding } from "./content-encoding.ts";

/** The type of a response that is not JSON. */
export const plainText = "text/plain; charset=utf-8";

/** The error for a content header with a value that the gateway cannot read. */
export function unsupported(header: "Content-Type" | "Content-Encoding", expected: string, got: string | undefined) {
  return new ClientError(rejection("UNSUPPORTED_CONTENT", { header, expected, got: JSON.stringify(got) ?? "nothing" }));
}

/**
 * Reads JSON bodies, also without a Content-Type (contract, section 0, rows 2 and 3), and lines of JSON. Routes parse
 * them. It is a hook and no parser, because Fastify closes the connection when a parser throws, and makes an
 * AsyncResource for each body. Call it before routes are added.
 */
export function addContentTypes(app: FastifyInstance, bodies: ByteBudget): void {
  app.removeAllContentTypeParsers();
  // The hook reads the stream.
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  // Fastify then runs no parser for POST.
  app.addHttpMethod("POST", { hasBody: false, overrideExisting: true });
  app.addHook("preValidation", (request, reply, done) => {
    // For other methods with a body, a parser has run.
    if (request.method === "POST" ? !mayHaveBody(request.headers) : request.body === undefined) return done();
    request.body = undefined;
    const { bodyLimit, config } = request.routeOptions;
    const contentType = request.headers["content-type"];
    if (
      config.ignoresBody !== true &&
      contentType !== undefined &&
      contentType !== json &&
      !mediaType.test(contentType)
    )
      return done(new ClientError(rejection("CONTENT_TYPE")));
    const hold = holdFor(request, reply, bodies);
    const take = (error: Error | null, body: Buffer): void => {
      done(error ?? problemOf(() => (request.body = contentOf(config, request, body))));
    };
    readBody(request.raw, { bytesMax: bodyLimit, hold }, (error, body) => {
      // A route that ignores its body accepts any type. An unknown path is 404 with any body.
      if (error !== null || config.ignoresBody === true || request.is404) return done(error ?? undefined);
      const decode = decoderOf(request);
      if (decode instanceof Error) return done(decode);
      if (decode === "none") return take(null, body);
      const owner = { client: clientOf(request.ip), isGone: () => reply.raw.destroyed };
      decode(body, bodyLimit, owner, (failure, decoded) => {
        const fits = failure !== null || decoded.length <= uncountedBytes || hold(decoded.length);
        take(fits ? failure : new ClientError(rejection("BODIES_FULL")), decoded);
      });
    });
  });
}

function mayHaveBody(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return (
    (length !== undefined && length !== "0") ||
    headers["content-type"] !== undefined ||
    headers["transfer-encoding"] !== undefined
  );
}

function problemOf(work: () => unknown): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function decoderOf({ raw, headers }: FastifyRequest): Decode | "none" | Error {
  const types = countHeader(raw.rawHeaders, "content-type");
  // Node keeps the first of two; a proxy may have checked the last.
  if (types > 1) return new InvalidInput("Content-Type", "the header once", types);
  const encoding = headers["content-encoding"];
  return decoderFor(encoding) ?? unsupported("Content-Encoding", expectedEncoding, encoding);
}

function contentOf(
  { readsForm, readsEntries = false }: FastifyContextConfig,
  { headers }: FastifyRequest,
  body: Buffer,
): unknown {
  if (readsForm === true) return body;
  const contentType = headers["content-type"];
  const content = () => (readsEntries ? new BulkBody(body, "array") : body);
  // The common values, compared without parsing.
  if (contentType === undefined || contentType === json) return content();
  const type = contentType.split(";", 1).join().trim().toLowerCase();
  const isJson = type === "" || type === json || type.endsWith("+json");
  const isLines = readsEntries && (type === "application/x-ndjson" || type === "application/jsonl");
  if (!isJson && !isLines) {
    const expected = readsEntries ? "application/json or application/x-ndjson" : "application/json";
    throw unsupported("Content-Type", expected, contentType);
  }
  for (const [, charset = ""] of contentType.matchAll(charsetPattern)) {
    if (!charsets.has(charset.toLowerCase())) {
      throw unsupported("Content-Type", "charset=utf-8", contentType);
    }
  }
  return isLines ? new BulkBody(body, "lines") : content();
}

const json = "application/json";
// RFC 9110, 8.3.1. White space may surround the type and the subtype.
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;
const charsetPattern = /;\s*charset\s*=\s*"?([^";\s]*)/gi;
// US-ASCII is a subset of UTF-8.
const charsets: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);

/**
 * Smaller bodies are not counted, because the connection limits bound them. Nearly all bodies are smaller and arrive in
 * one chunk.
 */
const uncountedBytes = 16_384;
const none = Buffer.alloc(0);

interface BodyLimits {
  readonly bytesMax: number;
  /** Raises what the request holds of the budget to this number of bytes; returns whether there was room. */
  readonly hold: (bytes: number) => boolean;
}

/**
 * Collects the body of a request. Above 16 KiB it takes memory from the budget as bytes arrive; an announced length
 * alone takes nothing. The callback gets BODY_TOO_LARGE or BODIES_FULL as soon as either is known; the rest of the body
 * is then read and dropped.
 */
function readBody(
  payload: IncomingMessage,
  { bytesMax, hold }: BodyLimits,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const announced = Number(payload.headers["content-length"] ?? Number.NaN);
  if (announced > bytesMax) return done(new ClientError(rejection("BODY_TOO_LARGE")), none);
  const lengthMax = Number.isNaN(announced) ? bytesMax : announced;
  let memory: Buffer = none;
  let length = 0;
  let isSettled = false;

  payload.on("data", onData);
  payload.on("end", onEnd);
  payload.on("error", onEnd);

  function onData(chunk: Buffer): void {
    if (isSettled) return;
    const end = length + chunk.length;
    if (end > bytesMax) return settle(new ClientError(rejection("BODY_TOO_LARGE")));
    // The usual body arrives in one chunk, which nothing else uses.
    if (end === announced && length === 0 && end <= uncountedBytes) {
      memory = chunk;
      length = end;
      return;
    }
    if (end > memory.length) {
      // Doubles each time: many small chunks then cost no object and no full copy each.
      const capacity = Math.max(end, Math.min(lengthMax, 2 * memory.length));
      if (capacity > uncountedBytes && !hold(capacity)) return settle(new ClientError(rejection("BODIES_FULL")));
      const larger = Buffer.allocUnsafe(capacity);
      memory.copy(larger, 0, 0, length);
      memory = larger;
    }
    chunk.copy(memory, length);
    length = end;
  }

  function onEnd(error?: Error): void {
    settle(error === undefined ? null : new ClientError(rejection("BODY_CUT_SHORT")));
  }

  // The listeners stay: their removal costs more than the calls that drop the rest of a body.
  function settle(error: Error | null): void {
    if (isSettled) return;
    isSettled = true;
    done(error, memory.length === length ? memory : memory.subarray(0, length));
  }
}

/**
 * Returns a function that raises the bytes that a request holds of the budget, and returns whether there was room. All
 * are released when the request has its response or its client disconnects.
 */
function holdFor(request: FastifyRequest, reply: FastifyReply, budget: ByteBudget): (bytes: number) => boolean {
  let held = 0;
  let client = "";
  return (bytes) => {
    // The client has disconnected: nothing would release it.
    if (reply.raw.destroyed) return false;
    if (held === 0) client = clientOf(request.ip);
    if (!budget.take(client, bytes - held)) return false;
    if (held === 0) reply.raw.once("close", () => budget.release(client, held));
    held = bytes;
    return true;
  };
}
