import type { IncomingHttpHeaders } from "node:http";
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import { InvalidInput } from "@tally/contract";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/reject.ts";
import { BulkBody } from "./bulk-entries.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { clientOf } from "../connection/client-address.ts";
import { countHeader } from "../connection/wire.ts";
import { decoderFor, expectedEncoding, type Decode } from "./content-encoding.ts";
import { holdFor, readBody, uncountedBytes } from "./read-body.ts";

/** The type of a response that is not JSON. */
export const plainText = "text/plain; charset=utf-8";

/** The error for a content header with a value that the gateway cannot read. */
export function unsupported(header: "Content-Type" | "Content-Encoding", expected: string, got: string | undefined) {
  return new ClientError(rejection("UNSUPPORTED_CONTENT", { header, expected, got: JSON.stringify(got) ?? "nothing" }));
}

/**
 * Reads JSON bodies, also without a Content-Type (contract, section 0, rows 2 and 3), and lines of JSON. Routes parse them.
 * It is a hook and no parser, because Fastify closes the connection when a parser throws, and makes an AsyncResource for each
 * body. Call it before routes are added.
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
