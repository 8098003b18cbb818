import { numberText } from "../../parts/format.ts";
import { Picture } from "../../parts/picture.tsx";
import type { Board, BoardEntry } from "./boards.ts";

/** Entries with their pictures, the first place first. */
export function Gallery({ board, entries }: { readonly board: Board; readonly entries: readonly BoardEntry[] }) {
  return (
    <ol class="gallery" aria-label={board.title}>
      {entries.map(({ key, member, count, image }, index) => (
        <li key={key}>
          {image !== undefined && <Picture path={image} of={`${board.member.label} ${member}`} />}
          <span class="place">{index + 1}</span>
          <span class="count">
            {board.count.label} <b>{numberText(count)}</b>
          </span>
          <span class="name">{member}</span>
        </li>
      ))}
    </ol>
  );
}
