import type { ComponentChildren, RefObject } from "preact";
import { useRef, useLayoutEffect } from "preact/hooks";
import { numberText } from "./format.ts";

interface Bar {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly count: number;
  readonly image?: ComponentChildren;
}

interface BarsProps {
  /** What the list is, for screen readers. */
  readonly title: string;
  /** The highest count first. */
  readonly bars: readonly Bar[];
}

/** A ranking as bars that move when their order changes. */
export function Bars({ title, bars }: BarsProps) {
  const list = useRef<HTMLOListElement>(null);
  useMovingRows(list);
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

/**
 * Moves the rows of a list from their former places to the new ones, so that the eye can follow a row that overtakes. Rows have the
 * attribute `data-key`. No motion with prefers-reduced-motion.
 */
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
      // Added to a movement that is under way.
      row.animate(frames, {
        duration: moveMs,
        easing: "ease-in-out",
        composite: from === undefined ? "replace" : "add",
      });
    }
  });
}
