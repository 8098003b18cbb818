import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CallError, send } from "../../http/call.ts";
import { useWatch } from "../../live/use-watch.ts";
import { Age } from "../../parts/age.tsx";
import { ConfirmButton, type ConfirmButtonProps } from "../../parts/confirm-button.tsx";
import { LivePanel } from "../../parts/live-panel.tsx";
import { Message } from "../../parts/message.tsx";
import { linkTo } from "../../route/route.ts";
import { LetterStateText } from "./letter-state.tsx";
import { stageTexts, type Letter, type LetterState } from "./letter.ts";

interface LetterPanelProps {
  readonly id: string;
  /** The state that the list shows. */
  readonly listState: LetterState;
}

interface Action extends Pick<ConfirmButtonProps, "text" | "question" | "detail" | "confirm"> {
  /** As in the path of its route. */
  readonly name: string;
  /** What is said after it. */
  readonly done: string;
}

const actions: readonly Action[] = [
  {
    name: "replay",
    text: "Replay…",
    question: "Publish this dead letter again?",
    detail:
      "If it fails again, it becomes open again. A replay can be repeated: an event that is stored already is not stored twice.",
    confirm: "Replay",
    done: "Replayed: it was published again.",
  },
  {
    name: "discard",
    text: "Discard…",
    question: "Discard this dead letter?",
    detail: "It is kept with the state discarded, also when it arrives again. It can still be replayed.",
    confirm: "Discard",
    done: "Discarded: it stays here and is not sent again.",
  },
];

/** A dead letter in full, with what can be done about it. */
export function LetterPanel({ id, listState }: LetterPanelProps) {
  const path = `/dead-letters/${encodeURIComponent(id)}`;
  const live = useWatch<Letter>(path);
  const [outcome, setOutcome] = useState<{ readonly isDone: boolean; readonly text: string }>();
  const settle = async ({ name, done }: Action): Promise<void> => {
    try {
      await send(`${path}/${name}`, { method: "POST" });
      setOutcome({ isDone: true, text: done });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setOutcome({ isDone: false, text: `Cannot ${name} it: ${error.message}` });
    }
  };
  return (
    <LivePanel title="Dead letter" live={live} wide>
      {(letter) => (
        <>
          <Fields letter={letter} />
          <pre tabIndex={0} role="region" aria-label="Content">
            {letter.event === undefined
              ? textOfBytes(letter.message ?? "", letter.bytes ?? 0)
              : JSON.stringify(letter.event, undefined, 2)}
          </pre>
          <p class="actions">
            {actions.map((action) => (
              <ConfirmButton key={action.name} {...action} onConfirm={() => settle(action)} />
            ))}
            <a href={linkTo(["dead-letters"], { state: listState })}>Close</a>
          </p>
          <div role="status">
            {outcome !== undefined && <Message kind={outcome.isDone ? "empty" : "problem"}>{outcome.text}</Message>}
          </div>
        </>
      )}
    </LivePanel>
  );
}

function Fields({ letter }: { readonly letter: Letter }) {
  const { id, domain, stage, state, queue, messageId, reason, diedAt } = letter;
  const fields: readonly (readonly [name: string, value: ComponentChildren])[] = [
    ["Why", reason],
    ["Stage", `${stage}: ${stageTexts[stage]}`],
    ["State", <LetterStateText state={state} />],
    ["Arrived last", <Age at={Date.parse(diedAt)} withTime />],
    ["Domain", domain],
    ["Queue", queue],
    ["Id", id],
    ...(messageId === "" ? [] : [[stage === "conflict" ? "Stored event" : "Message id", messageId] as const]),
  ];
  return (
    <dl class="fields">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The beginning of a message that cannot be decoded, with a dot for each byte that is no character. */
function textOfBytes(base64: string, bytes: number): string {
  const text = atob(base64);
  const cut = text.length < bytes ? `\n… ${bytes} bytes in all` : "";
  return text.replaceAll(/[^\t\n\u0020-\u007E]/g, "·") + cut;
}
