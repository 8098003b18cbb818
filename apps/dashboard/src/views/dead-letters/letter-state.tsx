import { State } from "../../parts/state.tsx";
import type { LetterState } from "./letter.ts";

const kinds = { open: "bad", replayed: "good", discarded: "good" } as const;

/** A letter's state as sign and word. */
export function LetterStateText({ state }: { readonly state: LetterState }) {
  return <State kind={kinds[state]} text={state} />;
}
