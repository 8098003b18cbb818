import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A response, a stream of events, or what happens instead: the connection ends without one or in the middle of its
 * body, or nothing comes. */
export type Reply =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string | object }
  | { readonly eventsEveryMs: number; readonly events: readonly string[] }
  | "disconnect"
  | "cut short"
  | "silence";

type Script = (request: Received, index: number) => Reply | Promise<Reply>;

/** An HTTP server that responds as the test says, until its end. `received` has every request that arrived completely.
 */
export async function startScriptedServer(script: Script) {
  const received: Received[] = [];
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    received.push(one);
    await reply(response, await script(one, received.length - 1));
  }
  const server = createServer((request, response) => void serve(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("the server has no port");
  return { url: `http://127.0.0.1:${address.port}`, received };
}

/** The lines of a bulk request. */
export const linesOf = ({ body }: Pick<Received, "body">): readonly string[] => body.split("\n");

interface Entry {
  readonly custID: number;
  readonly idempotencyKey: string;
}

export const entriesOf = (request: Received): readonly Entry[] => linesOf(request).map((line) => JSON.parse(line));

/** What a gateway says when each entry of a bulk request gets the status of `statusOf`; default: 201. */
export function resultsFor(request: Received, statusOf: (entry: Entry, index: number) => number = () => 201): Reply {
  const results = entriesOf(request).map((entry, index) => {
    const status = statusOf(entry, index);
    return status === 201 ? { index, status, id: `id-${entry.custID}` } : { index, status, error: `error ${status}` };
  });
  return { status: 207, body: { results } };
}

async function reply(response: ServerResponse, how: Reply): Promise<void> {
  if (how === "silence") return;
  if (how === "disconnect") {
    response.destroy();
  } else if (how === "cut short") {
    response.writeHead(201, { "content-length": "100" });
    response.write("{", () => response.destroy());
  } else if ("events" in how) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of how.events) {
      response.write(event);
      await delay(how.eventsEveryMs);
    }
    response.end();
  } else {
    const { status, headers = {}, body = "" } = how;
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  }
}
