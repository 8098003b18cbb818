import { once } from "node:events";
import { request, type ClientRequest } from "node:http";

/** Open live streams, whose events are read and dropped. */
export interface Viewers {
  /** Events of all of them so far. */
  readonly events: () => number;
  close(): void;
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
