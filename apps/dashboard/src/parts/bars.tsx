import type { ComponentChildren, RefObject } from "preact";
import { useRef, useLayoutEffect, useEffect, useState } from "preact/hooks";
import { numberText } from "./format.ts";
import { Message } from "./panel.tsx";
import { apiKey, send, urlOf } from "../http/call.ts";

interface Bar {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly count: number;
  readonly image?: ComponentChildren;
}

interface BarsProps {
  /** For screen readers. */
  readonly title: string;
  /** The highest count first. */
  readonly bars: readonly Bar[];
  /** In place of a list without bars. */
  readonly empty: string;
}

/** A ranking as bars that move when their order changes. */
export function Bars({ title, bars, empty }: BarsProps) {
  const list = useRef<HTMLOListElement>(null);
  useMovingRows(list);
  if (bars.length === 0) return <Message kind="empty">{empty}</Message>;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <ol class="bars" ref={list} aria-label={title}>
      {bars.map(({ key, label, count, image }, index) => (
        <li key={key} data-key={key} class={image === undefined ? "" : "pictured"}>
          <span class="place">{index + 1}</span>
          {image}
          <span class="name">{label}</span>
          <span class="track" aria-hidden="true">
            <span class="fill" style={{ width: `${(100 * count) / most}%` }} />
          </span>
          <span class="count">{numberText(count)}</span>
        </li>
      ))}
    </ol>
  );
}

const moveMs = 450;

/** Moves the rows of a list, named by `data-key`, from their former places. No motion with prefers-reduced-motion. */
function useMovingRows(list: RefObject<HTMLElement | null>): void {
  const places = useRef<ReadonlyMap<string, number>>(new Map());
  useLayoutEffect(() => {
    const rows = [...(list.current?.children ?? [])].filter((row) => row instanceof HTMLElement);
    const before = places.current;
    places.current = new Map(rows.map((row) => [row.dataset["key"] ?? "", row.offsetTop]));
    if (before.size === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const row of rows) {
      const from = before.get(row.dataset["key"] ?? "");
      if (from === row.offsetTop) continue;
      const frames =
        from === undefined
          ? [{ opacity: 0 }, { opacity: 1 }]
          : [{ transform: `translateY(${from - row.offsetTop}px)` }, { transform: "none" }];
      row.animate(frames, {
        duration: moveMs,
        easing: "ease-in-out",
        composite: from === undefined ? "replace" : "add",
      });
    }
  });
}

interface PictureProps {
  readonly path: string;
  readonly of: string;
}

/** A picture of the gateway. With an API key it is fetched, because an <img> sends none. */
export function Picture({ path, of }: PictureProps) {
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
