import { connect, type Socket } from "node:net";

/** What came back on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly bytes: Buffer;
}

/** What a Java client of the course sends with every request. */
export const upgrade = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
];

/** One kept-alive connection on which requests go out byte for byte as they are given. */
export class RawConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;
  #closed = false;

  /** `localAddress`: another one of this machine makes it another client, as 127.0.0.2. */
  constructor(url: string, localAddress?: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ port: Number(port), host: hostname, ...(localAddress ? { localAddress } : {}) });
    this.#socket.on("data", (data) => {
      this.#received = Buffer.concat([this.#received, Buffer.from(data)]);
      this.#wake();
    });
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** True once the server has closed it. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes that came and belong to no response that was taken. */
  get leftOver(): string {
    return this.#received.toString("latin1");
  }

  /** Sends bytes as they are. */
  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Ends the client's side; responses can still come. */
  endSending(): void {
    this.#socket.end();
  }

  /** Sends head lines and a body; the lines end as HTTP wants, and nothing is added. */
  async send(head: readonly string[], body: string | Buffer = ""): Promise<RawResponse> {
    this.#socket.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body)]));
    return this.response();
  }

  /** Sends bytes as they are. Resolves when the kernel has taken them. */
  writeAll(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** A POST with its length; without a Content-Type where `headers` say so. */
  post(
    path: string,
    body: string | Buffer,
    headers: readonly string[] = ["Content-Type: application/json"],
  ): Promise<RawResponse> {
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    return this.send([`POST ${path} HTTP/1.1`, "Host: tally", ...headers, length], body);
  }

  get(path: string, headers: readonly string[] = []): Promise<RawResponse> {
    return this.send([`GET ${path} HTTP/1.1`, "Host: tally", ...headers]);
  }

  /** GETs that are sent together, before any is answered; in their order. */
  async getAll(paths: readonly string[]): Promise<readonly RawResponse[]> {
    this.#socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: tally\r\n\r\n`).join(""));
    const answers: RawResponse[] = [];
    while (answers.length < paths.length) answers.push(await this.response());
    return answers;
  }

  end(): void {
    this.#socket.destroy();
  }

  /** The next response. Throws when the connection is closed before. */
  async response(): Promise<RawResponse> {
    const headEnd = await this.#until((received) => received.indexOf("\r\n\r\n"));
    const [statusLine = "", ...lines] = this.#received.toString("latin1", 0, headEnd).split("\r\n");
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers.get("content-length") ?? 0);
    const bodyStart = headEnd + 4;
    await this.#until((received) => (received.length >= bodyStart + length ? 0 : -1));
    const bytes = this.#received.subarray(bodyStart, bodyStart + length);
    this.#received = this.#received.subarray(bodyStart + length);
    return { status: Number(statusLine.split(" ")[1]), headers, body: bytes.toString(), bytes };
  }

  async #until(found: (received: Buffer) => number): Promise<number> {
    for (;;) {
      const at = found(this.#received);
      if (at >= 0) return at;
      if (this.#closed) throw new Error(`closed after ${JSON.stringify(this.#received.toString("latin1", 0, 200))}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
