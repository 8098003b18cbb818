import { maxHeaderSize, STATUS_CODES } from "node:http";
import { rejection, type Rejection } from "../../errors/catalogue.ts";
import type { Ending } from "./connection.ts";

/** An error of Node's HTTP parser, or of its time limits. */
export interface ParserError extends Error {
  readonly code?: string | undefined;
  /** The packet that failed to parse; may begin with well-formed requests. */
  readonly rawPacket?: unknown;
  /** The position of the error in the packet. */
  readonly bytesParsed?: number | undefined;
}

/** The rejection of a request that Node's parser cannot read, or that does not arrive in time. */
export function rejectionOfParser({ code }: ParserError): Rejection {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return rejection("HEADERS_TOO_LARGE", { max: maxHeaderSize });
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return rejection("CHUNK_EXTENSIONS_TOO_LARGE");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return rejection("REQUEST_TIMEOUT");
    case undefined:
    default:
      return rejection("MALFORMED_REQUEST");
  }
}

/** A complete response with `Connection: close`. Its error is under `key`. */
export function lastResponse(
  { code, status, message }: Rejection,
  { key, dropsRest, allow }: { readonly key: string; readonly dropsRest: boolean; readonly allow?: string },
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
  return { response: { code, text: `${head.join("\r\n")}\r\n\r\n${body}` }, dropsRest };
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
