import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countText } from "./format.ts";
import { Message } from "./panel.tsx";
import { apiKey, send, urlOf } from "../http/call.ts";

interface Bar {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly count: number | string;
  readonly image?: ComponentChildren;
  /** Its label is long. */
  readonly isNamed?: boolean;
}

interface BarsProps {
  /** For screen readers. */
  readonly title: string;
  /** The highest count first. */
  readonly bars: readonly Bar[];
  /** In place of a list without bars. */
  readonly empty: string;
}

/** A ranking as bars. */
export function Bars({ title, bars, empty }: BarsProps) {
  if (bars.length === 0) return <Message kind="empty">{empty}</Message>;
  const most = Math.max(1, ...bars.map(({ count }) => Number(count)));
  // All bars begin and end at the same places.
  const style = { "--digits": Math.max(...bars.map(({ count }) => countText(count).length)) };
  return (
    <ol class={bars.some(({ isNamed }) => isNamed) ? "bars named" : "bars"} style={style} aria-label={title}>
      {bars.map(({ key, label, count, image }, index) => (
        <li key={key} class={image === undefined ? "" : "pictured"}>
          <span class="place">{index + 1}</span>
          {image}
          <span class="name">{label}</span>
          <span class="track" aria-hidden="true">
            <span class="fill" style={{ width: `${Math.max(0, (100 * Number(count)) / most)}%` }} />
          </span>
          <span class="count">{countText(count)}</span>
        </li>
      ))}
    </ol>
  );
}

/** A picture of the gateway. With an API key it is fetched, because an <img> sends none. */
export function Picture({ path, of }: { readonly path: string; readonly of: string }) {
  const key = apiKey.value;
  const [source, setSource] = useState(key === "" ? urlOf(path) : "");
  useEffect(() => {
    if (key === "") return setSource(urlOf(path));
    const stopped = new AbortController();
    let url = "";
    const fetchPicture = async (): Promise<void> => {
      const response = await send(path, { signal: stopped.signal });
      url = URL.createObjectURL(await response.blob());
      if (stopped.signal.aborted) URL.revokeObjectURL(url);
      else setSource(url);
    };
    // Without the picture its place stays empty; its text is beside it.
    fetchPicture().catch(() => undefined);
    return () => {
      stopped.abort();
      URL.revokeObjectURL(url);
    };
  }, [path, key]);
  return source === "" ? <span class="picture" /> : <img class="picture" src={source} alt={of} loading="lazy" />;
}
