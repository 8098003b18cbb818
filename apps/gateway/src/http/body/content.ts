import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { InvalidInput } from "@tally/contract";
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/reject.ts";
import type { AddressBudget } from "../connection/address-limits.ts";
import { clientOf } from "../connection/client-address.ts";
import { countHeader } from "../connection/wire.ts";
import { BulkBody } from "./bulk-entries.ts";
import { type Decode, decoderFor, expectedEncoding } from "./content-encoding.ts";

/** The type of a response that is not JSON. */
export const plainText = "text/plain; charset=utf-8";

/** The error for a content header with a value that the gateway cannot read. */
export function unsupported(header: "Content-Type" | "Content-Encoding", expected: string, got: string | undefined) {
  return new ClientError(rejection("UNSUPPORTED_CONTENT", { header, expected, got: JSON.stringify(got) ?? "nothing" }));
}

/** Reads the bodies of routes that are added later, also JSON without a Content-Type. Routes parse them. It is a hook
 * and no parser: Fastify closes the connection when a parser throws, and makes an AsyncResource for each body. */
export function addContentTypes(app: FastifyInstance, bodies: AddressBudget): void {
  app.removeAllContentTypeParsers();
  // The hook reads the stream.
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  // Fastify then runs no parser for these.
  const unparsed = ["POST", "PUT"];
  for (const method of unparsed) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook("preValidation", (request, reply, done) => {
    // For other methods with a body, a parser has run.
    if (unparsed.includes(request.method) ? !mayHaveBody(request.headers) : request.body === undefined) return done();
    request.body = undefined;
    const { bodyLimit, config } = request.routeOptions;
    // An empty one says nothing.
    const contentType = request.headers["content-type"] || undefined;
    const hold = holdFor(request, reply, bodies);
    const take = (body: Buffer): void => {
      const content = contentOf(config, contentType, body);
      if (content instanceof Error) return done(content);
      request.body = content;
      done();
    };
    readBody(request.raw, bodyLimit, hold, (error, body) => {
      // A route that ignores its body accepts any type. An unknown path is 404 with any body.
      const isNone = body.length === 0 && config.mayLackBody === true;
      if (error !== null || config.ignoresBody === true || isNone || request.is404) return done(error ?? undefined);
      const isJson = contentType === undefined || contentType === json;
      if (!isJson && !mediaType.test(contentType)) return done(new ClientError(rejection("CONTENT_TYPE")));
      const decode = decoderOf(request);
      if (decode instanceof Error) return done(decode);
      if (decode === "none") return take(body);
      const owner = { client: clientOf(request.ip), isGone: () => reply.raw.destroyed };
      decode(body, bodyLimit, owner, (failure, decoded) => {
        if (failure !== null) return done(failure);
        if (decoded.length <= uncountedBytes || hold(decoded.length)) return take(decoded);
        done(new ClientError(rejection("BODIES_FULL")));
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

function decoderOf({ raw, headers }: FastifyRequest): Decode | "none" | Error {
  const types = countHeader(raw.rawHeaders, "content-type");
  // Node keeps the first of two; a proxy may have checked the last.
  if (types > 1) return new InvalidInput("Content-Type", "the header once", types);
  const encoding = headers["content-encoding"];
  return decoderFor(encoding) ?? unsupported("Content-Encoding", expectedEncoding, encoding);
}

function contentOf(
  { readsForm, readsEntries = false }: FastifyContextConfig,
  contentType: string | undefined,
  body: Buffer,
): Buffer | BulkBody | ClientError {
  if (readsForm === true) return body;
  const content = () => (readsEntries ? new BulkBody(body, "array") : body);
  // The common values, compared without parsing.
  if (contentType === undefined || contentType === json) return content();
  const type = contentType.split(";", 1).join().trim().toLowerCase();
  const isJson = type === json || type.endsWith("+json");
  const isLines = readsEntries && (type === "application/x-ndjson" || type === "application/jsonl");
  if (!isJson && !isLines) {
    const expected = readsEntries ? "application/json or application/x-ndjson" : "application/json";
    return unsupported("Content-Type", expected, contentType);
  }
  for (const [, charset = ""] of contentType.matchAll(charsetPattern)) {
    if (!charsets.has(charset.toLowerCase())) return unsupported("Content-Type", "charset=utf-8", contentType);
  }
  return isLines ? new BulkBody(body, "lines") : content();
}

const json = "application/json";
// RFC 9110, 8.3.1. White space may surround the type and the subtype.
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;
const charsetPattern = /;\s*charset\s*=\s*"?([^";\s]*)/gi;
// US-ASCII is a subset of UTF-8.
const charsets: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);

// Smaller bodies, which are nearly all, are not counted: the limits of connections bound them.
const uncountedBytes = 16_384;
const none = Buffer.alloc(0);

/** Collects the body of a request. Above 16 KiB it takes memory from the budget as bytes arrive; an announced length
 * takes nothing. The callback gets BODY_TOO_LARGE or BODIES_FULL as soon as either is known; the rest is read and
 * dropped. */
function readBody(
  payload: IncomingMessage,
  bytesMax: number,
  hold: (bytes: number) => boolean,
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

/** Returns a function that raises the bytes that a request holds of the budget until it has its response or its client
 * disconnects, and returns whether there was room. */
function holdFor(request: FastifyRequest, reply: FastifyReply, budget: AddressBudget): (bytes: number) => boolean {
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
