import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { get, post, raw } from "./requests.ts";

/** One HTTP response as it came over the wire. `body`: its bytes as UTF-8. */
export type HttpResponse = NonNullable<ReturnType<typeof readResponse>>["response"];

/** How long to wait for responses and for the end of the connection. */
const withinMs = 30_000;

/** The method of the nth request: a response to HEAD has no body. */
type MethodOf = (nth: number) => string;

/** One kept-alive connection on which requests travel byte for byte as given. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #changes = new EventEmitter();
  #received: Buffer = Buffer.alloc(0);
  #closed = false;

  /** `localAddress`: another address of this machine, such as 127.0.0.2, makes it another client. */
  constructor(url: string, localAddress?: string) {
    const { hostname: host, port } = new URL(url);
    this.#socket = connect({ host, port: Number(port), noDelay: true, ...(localAddress && { localAddress }) });
    this.#socket.on("data", (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#changes.emit("change");
    });
    // What a broken connection means is seen at its close.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.#closed = true;
      this.#changes.emit("change");
    });
  }

  /** Resolves when the kernel has the bytes, or the connection is closed. */
  write(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.writable) this.#socket.write(bytes, () => resolve());
      else resolve();
    });
  }

  /** Ends the sending side only; responses can still come. */
  endSending(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Sends head lines, with nothing added, and a body. */
  send(head: readonly string[], body: string | Buffer = ""): Promise<HttpResponse> {
    void this.write(raw(head, body));
    return this.response();
  }

  post(...request: Parameters<typeof post>): Promise<HttpResponse> {
    void this.write(post(...request));
    return this.response();
  }

  get(...request: Parameters<typeof get>): Promise<HttpResponse> {
    void this.write(get(...request));
    return this.response();
  }

  /** The next response, informational ones (1xx) included. Throws when the connection is closed before. */
  async response(): Promise<HttpResponse> {
    const [next] = await this.#take(1, () => "GET", 100);
    if (next !== undefined) return next;
    throw new Error(`closed after ${this.#rest()}`);
  }

  /** The next `count` final responses; fewer when the server closes before. */
  responses(count: number, methodOf: MethodOf = () => "GET"): Promise<readonly HttpResponse[]> {
    return this.#take(count, methodOf, 200);
  }

  /** Waits until the server closes; returns the bytes behind the responses that were taken. */
  untilClosed(): Promise<Buffer> {
    return this.#until((received) => (this.#closed ? received : undefined));
  }

  #rest(): string {
    return JSON.stringify(this.#received.toString("latin1", 0, 200));
  }

  #take(count: number, methodOf: MethodOf, statusMin: number): Promise<readonly HttpResponse[]> {
    return this.#until((received) => {
      const responses: HttpResponse[] = [];
      let rest = received;
      while (responses.length < count) {
        const one = readResponse(rest, this.#closed, methodOf(responses.length));
        if (one === undefined) break;
        rest = one.rest;
        if (one.response.status >= statusMin) responses.push(one.response);
      }
      if (responses.length < count && !this.#closed) return undefined;
      this.#received = rest;
      return responses;
    });
  }

  async #until<T>(find: (received: Buffer) => T | undefined): Promise<T> {
    const signal = AbortSignal.timeout(withinMs);
    for (;;) {
      const found = find(this.#received);
      if (found !== undefined) return found;
      await once(this.#changes, "change", { signal }).catch((cause: unknown) => {
        this.destroy();
        throw new Error(`timeout: ${withinMs} ms; received ${this.#rest()}`, { cause });
      });
    }
  }
}

/** The first response in some bytes; undefined while it is not complete. Throws for bytes that are no HTTP response. */
function readResponse(bytes: Buffer, isClosed: boolean, method: string) {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(statusLine.slice(0, 100))}`);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = bytes.subarray(headEnd + 4);
  const found = status < 200 || status === 204 || method === "HEAD" ? take(body, 0) : bodyOf(body, headers, isClosed);
  if (found === undefined) return undefined;
  return { response: { status, headers, bytes: found.taken, body: found.taken.toString() }, rest: found.rest };
}

const take = (bytes: Buffer, length: number) => ({ taken: bytes.subarray(0, length), rest: bytes.subarray(length) });

function bodyOf(body: Buffer, headers: ReadonlyMap<string, string>, isClosed: boolean) {
  if (headers.get("transfer-encoding") === "chunked") return chunksOf(body);
  const length = Number(headers.get("content-length") ?? Number.NaN);
  // Without a length the body ends with the connection.
  if (Number.isNaN(length)) return isClosed ? take(body, body.length) : undefined;
  return body.length < length ? undefined : take(body, length);
}

function chunksOf(body: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length;
    if (!(body.length >= end + 2)) return undefined;
    chunks.push(body.subarray(lineEnd + 2, end));
    at = end + 2;
    if (length === 0) return { taken: Buffer.concat(chunks), rest: body.subarray(at) };
  }
}

/** The fields of a JSON object in a response; undefined where the body is none. */
export function objectOf({ body }: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
