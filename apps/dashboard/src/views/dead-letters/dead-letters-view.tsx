import { useWatch } from "../../live/use-watch.ts";
import { Heading, LivePanel } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Select } from "../../parts/form.tsx";
import { timeText } from "../../parts/format.ts";
import { goTo, linkTo } from "../../route/route.ts";
import { LetterPanel, letterStates, type Letter, type LetterState } from "./letter-panel.tsx";

const limit = 100;

interface DeadLettersViewProps {
  readonly id: string | undefined;
  readonly state: string | undefined;
}

/** What was rejected and why, and what to do about it. */
export function DeadLettersView({ id, state: asked }: DeadLettersViewProps) {
  const state = letterStates.find((one) => one === asked) ?? "open";
  const live = useWatch<{ readonly deadLetters: readonly Letter[] }>(`/dead-letters?state=${state}&limit=${limit}`);
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
      <LivePanel title={`Dead letters, ${state}`} live={live} wide>
        {({ deadLetters }) => <List letters={deadLetters} state={state} current={id} />}
      </LivePanel>
    </>
  );
}

interface ListProps {
  readonly letters: readonly Letter[];
  readonly state: LetterState;
  readonly current: string | undefined;
}

function List({ letters, state, current }: ListProps) {
  const columns: readonly Column<Letter>[] = [
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
