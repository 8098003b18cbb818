import type { ComponentChildren } from "preact";
import type { Live } from "../live/use-watch.ts";
import { Age } from "./age.tsx";
import { Message } from "./message.tsx";
import { Panel } from "./panel.tsx";

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
