import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { numberText } from "./format.ts";
import { useMovingRows } from "./moving-rows.ts";

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
