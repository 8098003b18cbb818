import { createParser } from "eventsource-parser";
import { CallError, send } from "../http/call.ts";

// The gateway sends a beat every 5 s. Two missing ones are a dead connection, which TCP would notice minutes later.
const silentMsMax = 12_000;

/**
 * Reads server-sent events until the gateway ends the stream or `stream` aborts. `fetch` and not EventSource, which cannot send a key.
 * Throws CallError when the gateway refuses, or is silent.
 */
export async function readStream(
  path: string,
  stream: AbortController,
  take: (event: string, data: string) => void,
): Promise<void> {
  const parser = createParser({ onEvent: ({ event = "message", data }) => take(event, data) });
  let silence = setTimeout(() => stream.abort(), silentMsMax);
  try {
    const { body } = await send(path, { signal: stream.signal });
    if (body === null) throw new CallError(0, "the gateway does not respond");
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => stream.abort(), silentMsMax);
      parser.feed(value);
    }
  } finally {
    clearTimeout(silence);
  }
}
