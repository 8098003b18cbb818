import { raw } from "../http/http-case.ts";

/** A request before it is written: what a mutation changes, and what the test reads the meaning from. */
export interface RequestModel {
  readonly method: string;
  /** As it appears in the request line. */
  readonly target: string;
  /** Without Host and without what frames the body. */
  readonly headers: readonly (readonly [string, string])[];
  /** As it travels, compressed where Content-Encoding says so; undefined: none. */
  readonly body: Buffer | undefined;
  /** Sizes of chunks; absent: a Content-Length. */
  readonly chunkSizes?: readonly number[];
}

export const jsonType = ["Content-Type", "application/json"] as const;

export function headerOf({ headers }: Pick<RequestModel, "headers">, name: string): string | undefined {
  return headers.find(([own]) => own.toLowerCase() === name)?.[1];
}

/** The bytes of a request. */
export function bytesOf({ method, target, headers, body, chunkSizes }: RequestModel): Buffer {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  const framing = chunkSizes === undefined ? length : ["Transfer-Encoding: chunked"];
  const fields = headers.map(([name, value]) => `${name}: ${value}`);
  const sent = body ?? Buffer.alloc(0);
  return raw(
    [`${method} ${target} HTTP/1.1`, "Host: tally", ...fields, ...framing],
    chunkSizes === undefined ? sent : inChunks(sent, chunkSizes),
  );
}

function inChunks(body: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const chunk = body.subarray(at, at + Math.max(1, sizes[turn % sizes.length] ?? body.length));
    // Sizes may have zeros in front, capitals and extensions.
    const size = turn % 3 === 0 ? chunk.length.toString(16) : `00${chunk.length.toString(16).toUpperCase()};a=b`;
    parts.push(Buffer.from(`${size}\r\n`), chunk, Buffer.from("\r\n"));
    at += chunk.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/**
 * Reads one whole request from bytes as strictly as the standard asks; undefined for everything else. `rest` are the bytes behind it.
 */
export function readRequest(bytes: Buffer): { readonly model: RequestModel; readonly rest: Buffer } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [line = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const [, method, target] = /^([A-Z]+) ([\x21-\x7e]+) HTTP\/1\.1$/.exec(line) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers: (readonly [string, string])[] = [];
  for (const one of lines) {
    const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(one) ?? [];
    if (name === undefined || value === undefined) return undefined;
    headers.push([name, value.trimEnd()]);
  }
  const lengths = headers.filter(([name]) => name.toLowerCase() === "content-length");
  if (headerOf({ headers }, "transfer-encoding") !== undefined || lengths.length > 1) return undefined;
  if (headers.filter(([name]) => name.toLowerCase() === "host").length !== 1) return undefined;
  const length = lengths[0]?.[1] ?? "0";
  const end = headEnd + 4 + Number(length);
  if (!/^\d+$/.test(length) || bytes.length < end) return undefined;
  const others = headers.filter(([name]) => !/^(host|content-length)$/i.test(name));
  const body = lengths.length === 0 ? undefined : bytes.subarray(headEnd + 4, end);
  return { model: { method, target, headers: others, body }, rest: bytes.subarray(end) };
}
