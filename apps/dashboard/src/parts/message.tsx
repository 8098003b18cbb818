import type { ComponentChildren } from "preact";

interface MessageProps {
  readonly kind: "empty" | "waiting" | "problem";
  readonly children: ComponentChildren;
}

/** In place of data: there are none yet, none at all, or they cannot be read. */
export function Message({ kind, children }: MessageProps) {
  return <p class={`message ${kind}`}>{children}</p>;
}
