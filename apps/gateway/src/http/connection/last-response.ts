import { maxHeaderSize, STATUS_CODES } from "node:http";
import type { Ending } from "./connection.ts";

/** An error of Node's HTTP parser, or of its time limits. */
export interface ParserError extends Error {
  readonly code?: string | undefined;
  /** The packet that failed to parse; may begin with well-formed requests. */
  readonly rawPacket?: unknown;
  /** The position of the error in the packet. */
  readonly bytesParsed?: number | undefined;
}

/** The status and message for a request that Node's parser cannot read, or that does not arrive in time. */
export function refusalOfParser({ code }: ParserError): { readonly status: number; readonly message: string } {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, message: `headers: expected at most ${maxHeaderSize} bytes together` };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, message: "body: expected chunk extensions of at most 16384 bytes together" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "request: expected all of it sooner" };
    case undefined:
    default:
      return { status: 400, message: "request: expected HTTP/1.1" };
  }
}

/** A complete response with `Connection: close`. Its error is under `key`. */
export function lastResponse(
  { status, message, allow }: { readonly status: number; readonly message: string; readonly allow?: string },
  key: string,
  dropsRest: boolean,
): Ending {
  const body = JSON.stringify({ [key]: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    ...(allow === undefined ? [] : [`Allow: ${allow}`]),
    "Connection: close",
  ];
  return { response: { status, text: `${head.join("\r\n")}\r\n\r\n${body}` }, dropsRest };
}

/** The target of the request line that was parsed last in a packet that failed. Undefined when the packet has none. */
export function targetOfPacket({ rawPacket, bytesParsed }: ParserError): string | undefined {
  if (!Buffer.isBuffer(rawPacket)) return undefined;
  const parsed = rawPacket.toString("latin1", 0, bytesParsed);
  // The malformed request counts too: the error may be in its first line.
  const start = parsed.lastIndexOf("\r\n\r\n");
  const line = /^\s*[A-Z-]+ +(\/[^\s]*)/;
  const rest = rawPacket.toString("latin1", start < 0 ? 0 : start + 4);
  return line.exec(rest)?.[1];
}
