import { once } from "node:events";
import { request, type ClientRequest } from "node:http";

/** Open live streams, whose events are read and dropped. */
export interface Viewers {
  /** Events of all of them so far. */
  readonly events: () => number;
  close(): void;
}

/** Opens one stream, and resolves when an event of it contains `text`. */
export async function untilSeen(url: string, path: string, text: string, then: () => Promise<void>): Promise<void> {
  const stopped = new AbortController();
  const response = await fetch(`${url}/live?watch=${encodeURIComponent(path)}`, { signal: stopped.signal });
  if (response.body === null) throw new Error(`the stream of ${path} has no body`);
  let received = "";
  let isSent = false;
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    received += part;
    if (received.includes(text)) break;
    // The first answer: the stream is open.
    if (!isSent && received.includes("event: data")) {
      isSent = true;
      await then();
    }
  }
  stopped.abort();
}

/** Opens `count` streams, each with these watches. Throws when one is refused. */
export async function openViewers(
  url: string,
  count: number,
  watchesOf: (viewer: number) => readonly string[],
): Promise<Viewers> {
  const open: ClientRequest[] = [];
  let events = 0;
  for (let viewer = 0; viewer < count; viewer++) {
    const query = watchesOf(viewer).map((path) => `watch=${encodeURIComponent(path)}`);
    const stream = request(`${url}/live?${query.join("&")}`, { agent: false });
    stream.end();
    const [response] = await once(stream, "response");
    if (response.statusCode !== 200) throw new Error(`viewer ${viewer + 1} got ${response.statusCode}`);
    stream.on("error", () => undefined); // of close()
    response.on("error", () => undefined);
    response.on("data", (bytes: Buffer) => (events += bytes.toString("latin1").split("event: data").length - 1));
    open.push(stream);
  }
  return { events: () => events, close: () => open.forEach((stream) => stream.destroy()) };
}
