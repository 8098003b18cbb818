import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Live } from "../live/use-watch.ts";
import { Age } from "./figures.tsx";

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

interface LivePanelProps<T> {
  readonly title: ComponentChildren;
  readonly live: Live<T>;
  /** The time up to which the data count, as an ISO time; null: nothing was counted yet. undefined: the data do not say. */
  readonly asOf?: (body: T) => string | null | undefined;
  readonly children: (body: T) => ComponentChildren;
  readonly wide?: boolean;
}

/** A panel whose data are current, or says why not. After a problem the last data stay, with their age. */
export function LivePanel<T>({ title, live, asOf, children, wide = false }: LivePanelProps<T>) {
  const { body, at, problem } = live;
  return (
    <Panel title={title} wide={wide} aside={body !== undefined && at !== undefined && ageOf(body, at, asOf)}>
      {problem !== undefined && (
        <Message kind="problem">
          {body === undefined ? "" : "Not up to date: "}
          {problem.message}
        </Message>
      )}
      {body === undefined && problem === undefined && <Message kind="waiting">Loading…</Message>}
      {body !== undefined && children(body)}
    </Panel>
  );
}

function ageOf<T>(body: T, at: number, asOf: LivePanelProps<T>["asOf"]) {
  const counted = asOf?.(body);
  if (counted === null) return "nothing counted yet";
  return (
    <>
      {counted === undefined ? "changed " : "as of "}
      <Age at={counted === undefined ? at : Date.parse(counted)} />
    </>
  );
}

interface MessageProps {
  readonly kind: "empty" | "waiting" | "problem";
  readonly children: ComponentChildren;
}

/** In place of data: there are none yet, none at all, or they cannot be read. */
export function Message({ kind, children }: MessageProps) {
  return <p class={`message ${kind}`}>{children}</p>;
}
