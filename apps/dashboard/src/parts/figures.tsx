import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { now } from "../live/clock.ts";
import { spanText, timeText } from "./format.ts";

/** The name of the view, in the page and in the tab. */
export function Heading({ text }: { readonly text: string }) {
  useEffect(() => {
    document.title = `${text} – tally`;
  }, [text]);
  return <h1>{text}</h1>;
}

interface Tile {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
  /** Needs attention; the note says why. */
  readonly isBad?: boolean;
}

/** The figures that answer the usual questions, first in a view. */
export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
  return (
    <dl class="tiles">
      {tiles.map(({ label, value, note, isBad = false }) => (
        <div key={label} class={isBad ? "tile bad" : "tile"}>
          <dt>{label}</dt>
          <dd class="value">{value}</dd>
          {note !== undefined && <dd class="note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

const signs = { good: "✓", bad: "✗", busy: "…" } as const;

interface StateProps {
  readonly kind: keyof typeof signs;
  readonly text: string;
}

/** A state as sign, word and colour. */
export function State({ kind, text }: StateProps) {
  return (
    <span class={`state ${kind}`}>
      <span aria-hidden="true">{signs[kind]}</span> {text}
    </span>
  );
}

interface AgeProps {
  /** In ms since 1970. */
  readonly at: number;
  /** Also the time of day. */
  readonly withTime?: boolean;
}

/** How long ago something was: "3 s ago". */
export function Age({ at, withTime = false }: AgeProps) {
  return (
    <time dateTime={new Date(at).toISOString()} title={timeText(at)}>
      {withTime && `${timeText(at)}, `}
      {now.value - at < 1000 ? "just now" : `${spanText(now.value - at)} ago`}
    </time>
  );
}
