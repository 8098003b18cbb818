import type { FastifyInstance, onRequestHookHandler } from "fastify";
import { parseJsonBody } from "./json-body.ts";

/** The type of an answer that is no JSON. */
export const plainText = "text/plain; charset=utf-8";

/** A body of lines of JSON, not parsed yet: each line is judged by itself. */
export class Lines {
  readonly lines: readonly Buffer[];

  constructor(body: Buffer) {
    const lines: Buffer[] = [];
    for (let start = 0; start < body.length;) {
      const newline = body.indexOf(0x0a, start);
      const end = newline < 0 ? body.length : newline;
      const line = body.subarray(start, end);
      if (!isBlank(line)) lines.push(line);
      start = end + 1;
    }
    this.lines = lines;
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** A request whose content nothing here can read. */
export class UnsupportedContent extends Error {
  readonly code = "UNSUPPORTED_CONTENT";
  readonly statusCode = 415;

  constructor(expected: string, got: string | undefined) {
    super(`Content-Type: expected ${expected}, got ${JSON.stringify(got) ?? "nothing"}`);
  }
}

/**
 * What bodies are read as: JSON where the client says so or says nothing (contract, section 0, rows 2 and 3), lines of
 * JSON, and nothing else; a form is read by its route. Read in a hook and not in Fastify's parsers, because it closes the connection when one of those
 * throws, and a mistake in a body is no reason for that.
 */
export function addContentTypes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addHook("preValidation", (request, _reply, done) => {
    try {
      const { ignoresBody, readsForm } = request.routeOptions.config;
      // What leads nowhere is 404 whatever it carries.
      if (ignoresBody === true || request.is404) request.body = undefined;
      else if (readsForm !== true && Buffer.isBuffer(request.body))
        request.body = contentOf(request.headers["content-type"], request.body);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

/** For routes whose bodies are left aside: Fastify itself refuses what is no type at all. */
export const leaveTypeAside: onRequestHookHandler = (request, _reply, done) => {
  delete request.headers["content-type"];
  done();
};

function contentOf(contentType: string | undefined, body: Buffer): unknown {
  // The common case, compared without being taken apart.
  if (contentType === undefined || contentType === "application/json") return parseJsonBody(body);
  const type = contentType.split(";", 1).join().trim().toLowerCase();
  if (type === "" || type === "application/json" || type.endsWith("+json")) return parseJsonBody(body);
  if (type === "application/x-ndjson" || type === "application/jsonl") return new Lines(body);
  throw new UnsupportedContent("application/json", contentType);
}
