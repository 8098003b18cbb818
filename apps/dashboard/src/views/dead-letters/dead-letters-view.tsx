import { useWatch, type BodyOf } from "../../live/use-watch.ts";
import { Heading, LivePanel, State, Age, ConfirmButton, type ConfirmButtonProps } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Select } from "../../parts/form.tsx";
import { timeText } from "../../parts/format.ts";
import { goTo, linkTo } from "../../route/route.ts";
import type { ComponentChildren } from "preact";
import { send } from "../../http/call.ts";
import { useOutcome } from "../../parts/outcome.tsx";

type Letter = BodyOf<"/dead-letters/{id}">;
type ListedLetter = BodyOf<"/dead-letters">["deadLetters"][number];
type LetterState = Letter["state"];

const letterStates: readonly LetterState[] = ["open", "parked", "replayed", "discarded"];
const limit = 100;

/** What was rejected and why, and what to do about it. */
export function DeadLettersView({ id, state: asked }: Readonly<Record<"id" | "state", string | undefined>>) {
  const state = letterStates.find((one) => one === asked) ?? "open";
  const path = `/dead-letters?state=${state}&limit=${limit}`;
  const live = useWatch<BodyOf<"/dead-letters">>(path);
  return (
    <>
      <Heading text="Dead letters" />
      <p class="hint">
        Events and messages that cannot be stored as they are. Nothing else waits for them. Replay one when its cause is
        gone; discard it when it is final.
      </p>
      {id !== undefined && <LetterPanel key={id} id={id} listState={state} />}
      <p class="pick">
        <label>
          State <Select value={state} choices={letterStates} onPick={(one) => goTo(["dead-letters"], { state: one })} />
        </label>
      </p>
      <LivePanel title={`Dead letters, ${state}`} live={live} wide csv={path}>
        {({ deadLetters }) => <List letters={deadLetters} state={state} current={id} />}
      </LivePanel>
    </>
  );
}

interface ListProps {
  readonly letters: readonly ListedLetter[];
  readonly state: LetterState;
  readonly current: string | undefined;
}

function List({ letters, state, current }: ListProps) {
  const columns: readonly Column<ListedLetter>[] = [
    {
      title: "Arrived last",
      cell: ({ id, diedAt }) => (
        <a href={linkTo(["dead-letters", id], { state })} aria-current={id === current ? "true" : undefined}>
          {timeText(Date.parse(diedAt))}
        </a>
      ),
    },
    { title: "Domain", cell: ({ domain }) => domain },
    { title: "Stage", cell: ({ stage }) => stage },
    { title: "Reason", cell: ({ reason }) => reason },
  ];
  return (
    <>
      <Table
        title={`Dead letters, ${state}`}
        rows={letters}
        keyOf={({ id }) => id}
        columns={columns}
        empty={state === "open" ? "No open dead letters." : `No dead letter is ${state}.`}
      />
      {letters.length === limit && <p class="hint">Only {limit} are shown. `pnpm tally dead-letters list` has all.</p>}
    </>
  );
}

const stageTexts: Readonly<Record<Letter["stage"], string>> = {
  rejected: "the database rejects the event for its data, or stored rows do not admit it",
  conflict: "its Idempotency-Key belongs to a stored event with other content",
  message: "the message cannot be decoded",
  delivery: "the broker gave the message up after too many deliveries",
};

const kinds = { open: "bad", parked: "good", replayed: "good", discarded: "good" } as const;

interface Action extends Pick<ConfirmButtonProps, "text" | "question" | "detail" | "confirm"> {
  readonly name: string;
  readonly done: string;
}

const actions: readonly Action[] = [
  {
    name: "replay",
    text: "Replay…",
    question: "Publish this dead letter again?",
    detail:
      "If it fails again, it becomes open again. A replay can be repeated: " +
      "an event that is stored already is not stored twice.",
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
function LetterPanel({ id, listState }: { readonly id: string; readonly listState: LetterState }) {
  const path = `/dead-letters/${encodeURIComponent(id)}`;
  const live = useWatch<Letter>(path);
  const { outcome, attempt } = useOutcome();
  const settle = ({ name, done }: Action): Promise<void> =>
    attempt(send(`${path}/${name}`, { method: "POST" }), done, `Cannot ${name} it`);
  return (
    <LivePanel title="Dead letter" live={live} wide>
      {(letter) => (
        <>
          <Fields letter={letter} />
          <pre tabIndex={0} role="region" aria-label="Content">
            {letter.event === undefined
              ? textOfBytes(letter.message ?? "", letter.bytes)
              : JSON.stringify(letter.event, undefined, 2)}
          </pre>
          <p class="actions">
            {actions.map((action) => (
              <ConfirmButton key={action.name} {...action} onConfirm={() => settle(action)} />
            ))}
            <a href={linkTo(["dead-letters"], { state: listState })}>Close</a>
          </p>
          {outcome}
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
    ["State", <State kind={kinds[state]} text={state} />],
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
