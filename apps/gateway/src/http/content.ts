import type { FastifyInstance, onRequestHookHandler } from "fastify";
import { BulkBody } from "./bulk-entries.ts";
import { parseJsonBody } from "./json-body.ts";

/** The type of an answer that is no JSON. */
export const plainText = "text/plain; charset=utf-8";

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
      const { ignoresBody, readsForm, readsEntries } = request.routeOptions.config;
      // What leads nowhere is 404 whatever it carries.
      if (ignoresBody === true || request.is404) request.body = undefined;
      else if (readsForm !== true && Buffer.isBuffer(request.body))
        request.body = contentOf(request.headers["content-type"], request.body, readsEntries === true);
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

function contentOf(contentType: string | undefined, body: Buffer, readsEntries: boolean): unknown {
  const json = () => (readsEntries ? new BulkBody(body, "array") : parseJsonBody(body));
  // The common case, compared without being taken apart.
  if (contentType === undefined || contentType === "application/json") return json();
  const type = contentType.split(";", 1).join().trim().toLowerCase();
  if (type === "" || type === "application/json" || type.endsWith("+json")) return json();
  const isLines = type === "application/x-ndjson" || type === "application/jsonl";
  if (isLines && readsEntries) return new BulkBody(body, "lines");
  throw new UnsupportedContent(
    readsEntries ? "application/json or application/x-ndjson" : "application/json",
    contentType,
  );
}
