import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseJsonBody } from "./json-body.ts";

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

  constructor(got: string) {
    super(`Content-Type: expected application/json, got ${JSON.stringify(got)}`);
  }
}

/**
 * What bodies are read as: JSON where the client says so or says nothing (contract, section 0, rows 2 and 3), lines of
 * JSON, and nothing else.
 */
export function addContentTypes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const json = async (_request: FastifyRequest, body: Buffer) => parseJsonBody(body);
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, json);
  app.addContentTypeParser(/^application\/[^;]+\+json/, { parseAs: "buffer" }, json);
  app.addContentTypeParser(
    ["application/x-ndjson", "application/jsonl"],
    { parseAs: "buffer" },
    async (_request: FastifyRequest, body: Buffer) => new Lines(body),
  );
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    const type = request.headers["content-type"];
    if (type !== undefined && type.trim() !== "") throw new UnsupportedContent(type);
    return parseJsonBody(body);
  });
}
