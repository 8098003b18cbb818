import { type Balancer, startBalancer } from "@tally/local";
import { atEnd, listen, temporaryDirectory } from "@tally/local/at-end";
import { EventSourceParserStream, type EventSourceMessage } from "eventsource-parser/stream";
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";

type Options = Pick<Parameters<typeof startBalancer>[0], "gateways" | "findBy" | "variables">;

/** Starts HAProxy in front of gateways. It stops at the end of the test or of the file. */
export async function balance(options: Options): Promise<Balancer> {
  const balancer = await startBalancer({
    ...options,
    directory: await temporaryDirectory(),
    environment: process.env,
    say: () => undefined,
    signal: new AbortController().signal,
  });
  atEnd(() => balancer.stop());
  return balancer;
}

export interface OwnResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server in front of a gateway. `before` is called with the path and the body of each request before the gateway has
 * it; when it returns a response, the gateway does not get the request. Returns its URL. */
export async function startForwarding(
  gatewayUrl: string,
  before: (path: string, body: Buffer) => OwnResponse | undefined | Promise<OwnResponse | undefined>,
): Promise<string> {
  const { url: ownUrl } = await listen(async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    const body = await buffer(incoming);
    const own = await before(url, body);
    if (own !== undefined) {
      response.writeHead(own.status, own.headers).end(own.body);
      return;
    }
    const forwarded = request(gatewayUrl + url, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(response);
    });
    forwarded.on("error", () => response.destroy()).end(body);
  });
  return ownUrl;
}

/** Makes an authority, and a certificate for a server of this name only, in a directory that others may read then.
 * Returns the files. */
export function makeCertificates(directory: string, serverName: string) {
  const file = (name: string): string => join(directory, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=tally test CA");
  openssl("req", ...newKey, "-keyout", "server.key", "-out", "server.csr", "-subj", `/CN=${serverName}`);
  // Nodes of a Redis Cluster show each other theirs.
  writeFileSync(file("extensions"), `subjectAltName=DNS:${serverName}\nextendedKeyUsage=serverAuth,clientAuth\n`);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", ...signed);
  // The servers may run as other users.
  chmodSync(directory, 0o755);
  chmodSync(file("server.key"), 0o644);
  return { authority: file("ca.pem"), certificate: file("server.pem"), key: file("server.key") };
}

interface LiveEvent {
  readonly event: string;
  readonly data: { readonly watch?: number; readonly status?: number; readonly body?: unknown; readonly at: string };
}

/** Opens GET /live for these paths. Throws unless it is 200. Closed at the end of the test or of the file. */
export async function openStream(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = {},
) {
  const aborted = new AbortController();
  atEnd(() => aborted.abort());
  const query = paths.map((path) => `watch=${encodeURIComponent(path)}`).join("&");
  const response = await fetch(`${url}/live?${query}`, { headers, signal: aborted.signal });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${response.status}: ${await response.text()}`);
  const events: LiveEvent[] = [];
  const stream = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  return {
    headers: response.headers,
    events,
    /** The newest answer of a watch; undefined before the first. */
    latest: (watch: number) => events.findLast(({ data }) => data.watch === watch)?.data,
    ended: read(stream, events),
    close: () => aborted.abort(),
  };
}

async function read(stream: ReadableStream<EventSourceMessage>, events: LiveEvent[]): Promise<"complete" | "broken"> {
  try {
    for await (const { event = "", data } of stream) events.push({ event, data: JSON.parse(data) });
    return "complete";
  } catch {
    return "broken";
  }
}
