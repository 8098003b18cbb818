import { atEnd } from "./at-end.ts";

/** An event of GET /live. */
interface LiveEvent {
  readonly event: string;
  readonly data: { readonly watch?: number; readonly status?: number; readonly body?: unknown; readonly at: string };
}

/** An open GET /live, read as a browser does. */
export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  readonly events: readonly LiveEvent[];
  /** The newest answer of a watch; undefined before the first. */
  latest(watch: number): LiveEvent["data"] | undefined;
  /** Resolves at its end: whether the gateway has ended it completely, or the connection broke. */
  readonly ended: Promise<"complete" | "broken">;
  close(): void;
}

/** Opens GET /live for these paths. Throws unless it is 200. Closed at the end of the test or of the file. */
export async function openStream(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const aborted = new AbortController();
  atEnd(() => aborted.abort());
  const query = paths.map((path) => `watch=${encodeURIComponent(path)}`).join("&");
  const response = await fetch(`${url}/live?${query}`, { headers, signal: aborted.signal });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${response.status}: ${await response.text()}`);
  const events: LiveEvent[] = [];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return {
    status: response.status,
    headers: response.headers,
    events,
    latest: (watch) => events.findLast(({ data }) => data.watch === watch)?.data,
    ended: read(reader, events),
    close: () => aborted.abort(),
  };
}

async function read(reader: ReadableStreamDefaultReader<string>, events: LiveEvent[]): Promise<"complete" | "broken"> {
  let text = "";
  for (;;) {
    const part = await reader.read().catch(() => undefined);
    if (part === undefined) return "broken";
    if (part.done) return "complete";
    text += part.value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, event = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      events.push({ event, data: JSON.parse(data) });
    }
  }
}
