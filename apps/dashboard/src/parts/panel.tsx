import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface PanelProps {
  readonly title: ComponentChildren;
  /** At the right of the title, such as the age of the data. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

/** A part of a view, with a heading. */
export function Panel({ title, aside, children, wide = false }: PanelProps) {
  const id = useId();
  return (
    <section class={wide ? "panel wide" : "panel"} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <p class="aside">{aside}</p>}
      </header>
      {children}
    </section>
  );
}
