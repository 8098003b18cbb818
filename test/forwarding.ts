import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { atEnd } from "./at-end.ts";

/** A response that is sent instead of the gateway's. */
export interface OwnResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A server in front of a gateway. `before` is called with the path and the body of each request before the gateway has it; when it returns a
 * response, the gateway does not get the request. Returns its URL.
 */
export async function startForwarding(
  gatewayUrl: string,
  before: (path: string, body: Buffer) => OwnResponse | undefined | Promise<OwnResponse | undefined>,
): Promise<string> {
  const server = createServer((request, response) => void forward(request, response));
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const body = await buffer(request);
    const own = await before(url, body);
    if (own !== undefined) {
      response.writeHead(own.status, own.headers).end(own.body);
      return;
    }
    const kept = Object.entries(headers).filter(([name]) => ["content-type", "idempotency-key"].includes(name));
    const reply = await fetch(gatewayUrl + url, {
      method,
      headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
      body,
    });
    const returned = ["content-type", "tally-event-id"].flatMap((name) => {
      const value = reply.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(reply.status, Object.fromEntries(returned));
    response.end(await reply.text());
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}
