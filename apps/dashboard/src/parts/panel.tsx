import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { now } from "../live/live-feed.ts";
import type { Live } from "../live/use-watch.ts";
import { Download } from "./download.tsx";
import { spanText, timeText } from "./format.ts";

/** In the page and in the tab. */
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

/** The figures that answer the usual questions. */
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

export function State({ kind, text }: { readonly kind: keyof typeof signs; readonly text: string }) {
  return (
    <span class={`state ${kind}`}>
      <span aria-hidden="true">{signs[kind]}</span> {text}
    </span>
  );
}

/** As "3 s ago". `at`: in ms since 1970. */
export function Age({ at, withTime = false }: { readonly at: number; readonly withTime?: boolean }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={timeText(at)}>
      {withTime && `${timeText(at)}, `}
      {now.value - at < 1000 ? "just now" : `${spanText(now.value - at)} ago`}
    </time>
  );
}

interface LivePanelProps<T> {
  readonly title: string;
  readonly live: Live<T>;
  /** As an ISO time; null: nothing was counted yet. undefined: the data do not say. */
  readonly asOf?: (body: T) => string | null | undefined;
  readonly children: (body: T) => ComponentChildren;
  readonly wide?: boolean;
  /** The path of what can be downloaded as CSV. */
  readonly csv?: string | undefined;
  /** An address with all that is chosen, where that of the view leaves something out. */
  readonly linkOf?: (body: T) => string;
}

/** A part of a view whose data are current, or say why not. After a problem the last data stay, with their age. */
export function LivePanel<T>({ title, live, asOf, children, wide = false, csv, linkOf }: LivePanelProps<T>) {
  const { body, at, problem } = live;
  const id = useId();
  return (
    <section class={wide ? "panel wide" : "panel"} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {body !== undefined && at !== undefined && (
          <p class="aside">
            <span>{ageOf(body, at, asOf)}</span>
            {csv !== undefined && <Download path={csv} of={title} />}
            {linkOf !== undefined && (
              <a href={linkOf(body)} aria-label={`Link to ${title}`}>
                Link
              </a>
            )}
          </p>
        )}
      </header>
      {problem !== undefined && (
        <Message kind="problem">
          {body === undefined ? "" : "Not up to date: "}
          {problem.message}
        </Message>
      )}
      {body === undefined && problem === undefined && <Message kind="waiting">Loading…</Message>}
      {body !== undefined && children(body)}
    </section>
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

/** What is edited: `children` are shown, and their data read, while it is open. */
export function Edit({ summary, children }: { readonly summary: string; readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="edit" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}

export interface ConfirmButtonProps {
  readonly text: string;
  readonly question: string;
  readonly detail: string;
  readonly confirm: string;
  readonly onConfirm: () => Promise<void>;
}

/** A button for what cannot be undone. It asks first, in the browser's own dialog. */
export function ConfirmButton({ text, question, detail, confirm, onConfirm }: ConfirmButtonProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const act = async (): Promise<void> => {
    setBusy(true);
    await onConfirm().finally(() => setBusy(false));
    dialog.current?.close();
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {text}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <h2 id={id}>{question}</h2>
        <p>{detail}</p>
        <p class="actions">
          <button type="button" class="main" disabled={isBusy} onClick={() => void act()}>
            {confirm}
          </button>{" "}
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </>
  );
}
