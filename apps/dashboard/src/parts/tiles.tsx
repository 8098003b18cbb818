import type { ComponentChildren } from "preact";

export interface Tile {
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
