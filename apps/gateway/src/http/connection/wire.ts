import { createServer, maxHeaderSize, STATUS_CODES } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { rejection, type Rejection } from "../../errors/catalogue.ts";
import { Connection, type ConnectionOptions, type Ending, Turns } from "./connection.ts";

export interface WireOptions extends Pick<ConnectionOptions, "onRejected" | "times"> {
  /** Both count from the first byte of a request. */
  readonly headersWithinMs: number;
  readonly bodyWithinMs: number;
  readonly errorKeyOf: (url: string) => "message" | "msg";
}

// Longer than a load balancer's 60 s: were the gateway the first to close an idle connection, clients would get 502.
const keepAliveTimeoutMs = 65_000;
// A time limit can be late by this much.
const checkEveryMs = 1000;
// Clients send about 10, proxies add about 10. Node would drop headers above its own limit without an error.
const headersMax = 100;
const jsonType = "application/json; charset=utf-8";

/** The HTTP server below the routes: time limits, the order of responses, and requests rejected before routing. */
export class Wire {
  readonly #options: WireOptions;
  /** The open ones. */
  readonly #connections = new Map<Socket, Connection>();

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** Creates an HTTP server that passes well-formed requests to `handle`. Does not listen yet. */
  serve(handle: RequestListener): Server {
    const { headersWithinMs, bodyWithinMs, onRejected, times } = this.#options;
    const server = createServer({
      // Node throws when requestTimeout is below headersTimeout.
      headersTimeout: Math.min(headersWithinMs, bodyWithinMs),
      requestTimeout: bodyWithinMs,
      connectionsCheckingInterval: Math.min(checkEveryMs, headersWithinMs, bodyWithinMs),
      keepAliveTimeout: keepAliveTimeoutMs,
      // Checked below, so that the response has a body.
      requireHostHeader: false,
      insecureHTTPParser: false,
    });
    // Node would drop further headers silently. Their bytes are limited, and their number is checked below.
    server.maxHeadersCount = 0;
    // Clients that close their sending side after the request get a response.
    Object.assign(server, { httpAllowHalfOpen: true });
    const turns = new Turns();
    const check = (response: ServerResponse): void => {
      const rejected = rejectionOfHead(response.req);
      if (rejected === undefined) handle(response.req, response);
      else this.#reject(response, rejected);
    };
    server.on("connection", (socket: Socket) => {
      this.#connections.set(socket, new Connection(socket, { turns, handle: check, onRejected, times }));
      socket.once("close", () => this.#connections.delete(socket));
    });
    const take = (request: IncomingMessage, response: ServerResponse): void =>
      this.#connections.get(request.socket)?.take(response);
    server.on("request", take);
    server.on("checkExpectation", take);
    // A CONNECT request has no body: Node passes on the whole connection.
    server.on("connect", ({ url = "", socket }: IncomingMessage) => this.#rejectConnect(url, socket));
    return server;
  }

  /** Ends a connection whose next request is malformed or late, after the responses to the requests before it. */
  broken(error: ParserError, socket: Socket): void {
    // The client has disconnected.
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return void socket.destroy();
    const rejected = rejectionOfParser(error.code);
    const isLate = rejected.code === "REQUEST_TIMEOUT";
    // Clients open connections in advance. A proxy would use a 408 as the response to its next request.
    if (isLate && socket.bytesRead === 0) return connection.close({ response: undefined, dropsRest: false });
    const url = connection.unreadUrl ?? targetOfPacket(error);
    const key = url === undefined ? "message" : this.#options.errorKeyOf(url);
    connection.close(lastResponse(rejected, { key, dropsRest: !isLate }));
  }

  /*
   * What happens to a connection when the server closes:
   *
   *   without a byte received   closed at once. Node would wait a minute for a first request
   *   idle                      closed by Node
   *   with a request            closed by the response. With keep-alive it would delay the stop
   *   with half a request       closed after `respondedWithinMs`, the longest time from a whole request to its response
   */

  /** Call it when the server begins to close. */
  close(respondedWithinMs: number): void {
    for (const [socket, connection] of this.#connections) {
      if (socket.bytesRead === 0) socket.destroy();
      // Fastify does it for requests whose head arrives after the close has begun.
      else connection.closeAfterResponse();
    }
    setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, respondedWithinMs).unref();
  }

  #reject(response: ServerResponse, { code, status, message }: Rejection): void {
    const { onRejected, errorKeyOf } = this.#options;
    onRejected(code);
    const body = JSON.stringify({ [errorKeyOf(response.req.url ?? "")]: message });
    response.writeHead(status, { "content-type": jsonType, "content-length": Buffer.byteLength(body) }).end(body);
  }

  #rejectConnect(url: string, socket: Socket): void {
    // Node has removed its own listener.
    socket.on("error", () => undefined);
    const options = { key: this.#options.errorKeyOf(url), dropsRest: true, allow: "GET, HEAD, POST, PUT" };
    this.#connections.get(socket)?.close(lastResponse(rejection("CONNECT"), options));
  }
}

/** The problem with the head of a request, for any path. */
function rejectionOfHead({ httpVersion, headers, rawHeaders }: IncomingMessage): Rejection | undefined {
  if (rawHeaders.length > 2 * headersMax) return rejection("TOO_MANY_HEADERS", { max: headersMax });
  if (httpVersion === "1.1" && headers.host === undefined) return rejection("HOST_MISSING");
  if (headers.expect !== undefined && httpVersion === "1.1" && !/(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect))
    return rejection("EXPECTATION", { got: JSON.stringify(headers.expect) });
  const coding = headers["transfer-encoding"];
  // The parser also accepts "gzip, chunked", and would pass on the compressed bytes.
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return rejection("TRANSFER_ENCODING", { got: JSON.stringify(coding) });
  if (countHeader(rawHeaders, "host") > 1) return rejection("HEADER_REPEATED", { header: "Host" });
  // Node keeps the first of two; a proxy may have checked the last.
  if (countHeader(rawHeaders, "authorization") > 1) return rejection("HEADER_REPEATED", { header: "Authorization" });
  return undefined;
}

/** How often a request has a header; `name` in lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i];
    if (header?.length === name.length && header.toLowerCase() === name) count++;
  }
  return count;
}

/** An error of Node's HTTP parser, or of its time limits. */
export interface ParserError extends Error {
  readonly code?: string | undefined;
  /** May begin with well-formed requests. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number | undefined;
}

/** The rejection of a request that Node's parser cannot read, or that does not arrive in time. */
function rejectionOfParser(code: string | undefined): Rejection {
  if (code === "HPE_HEADER_OVERFLOW") return rejection("HEADERS_TOO_LARGE", { max: maxHeaderSize });
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return rejection("CHUNK_EXTENSIONS_TOO_LARGE");
  return rejection(code === "ERR_HTTP_REQUEST_TIMEOUT" ? "REQUEST_TIMEOUT" : "MALFORMED_REQUEST");
}

/** A complete response with `Connection: close`. Its error is under `key`. */
function lastResponse(
  { code, status, message }: Rejection,
  { key, dropsRest, allow }: { readonly key: string; readonly dropsRest: boolean; readonly allow?: string },
): Ending {
  const body = JSON.stringify({ [key]: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${jsonType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    ...(allow === undefined ? [] : [`Allow: ${allow}`]),
    "Connection: close",
  ];
  return { response: { code, text: `${head.join("\r\n")}\r\n\r\n${body}` }, dropsRest };
}

/** The target of the last request line in a packet that failed to parse; undefined when it has none. */
function targetOfPacket({ rawPacket, bytesParsed }: ParserError): string | undefined {
  if (!Buffer.isBuffer(rawPacket)) return undefined;
  const parsed = rawPacket.toString("latin1", 0, bytesParsed);
  // The malformed request counts too: the error may be in its first line.
  const start = parsed.lastIndexOf("\r\n\r\n");
  const rest = rawPacket.toString("latin1", start < 0 ? 0 : start + 4);
  return /^\s*[A-Z-]+ +(\/[^\s]*)/.exec(rest)?.[1];
}
