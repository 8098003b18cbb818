import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const moveMs = 450;

/**
 * Moves the rows of a list from their former places to the new ones, so that the eye can follow a row that overtakes. Rows have the
 * attribute `data-key`. No motion with prefers-reduced-motion.
 */
export function useMovingRows(list: RefObject<HTMLElement | null>): void {
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
