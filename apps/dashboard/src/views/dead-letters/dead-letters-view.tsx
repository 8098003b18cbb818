import { useWatch } from "../../live/use-watch.ts";
import { Heading, LivePanel } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Select } from "../../parts/form.tsx";
import { timeText } from "../../parts/format.ts";
import { goTo } from "../../route/route.ts";

const limit = 100;
const states = ["open", "replayed", "discarded"];

/** A dead letter as GET /dead-letters responds. */
interface Letter {
  readonly id: string;
  readonly domain: string;
  readonly stage: "event" | "conflict" | "message" | "delivery";
  readonly reason: string;
  /** When it last came, as an ISO time. */
  readonly diedAt: string;
}

const stageTexts: Readonly<Record<Letter["stage"], string>> = {
  event: "the database rejects the event for its data",
  conflict: "its Idempotency-Key belongs to a stored event with other content",
  message: "the message cannot be decoded",
  delivery: "the broker gave the message up after too many deliveries",
};

const columns: readonly Column<Letter>[] = [
  { title: "Arrived last", cell: ({ diedAt }) => timeText(Date.parse(diedAt)) },
  { title: "Domain", cell: ({ domain }) => domain },
  { title: "Stage", cell: ({ stage }) => `${stage}: ${stageTexts[stage]}` },
  { title: "Reason", cell: ({ reason }) => reason },
  { title: "Id", cell: ({ id }) => <code>{id}</code> },
];

/** What was rejected and why. */
export function DeadLettersView({ state: asked = "" }: { readonly state: string | undefined }) {
  const state = states.includes(asked) ? asked : "open";
  const live = useWatch<{ readonly deadLetters: readonly Letter[] }>(`/dead-letters?state=${state}&limit=${limit}`);
  return (
    <>
      <Heading text="Dead letters" />
      <p class="hint">
        Events and messages that cannot be stored as they are. Nothing else waits for them.{" "}
        <code>pnpm tally dead-letters show</code> with an id has the content. <code>replay</code> publishes it again
        when its cause is gone; <code>discard</code> keeps it as it is.
      </p>
      <p class="pick">
        <label>
          State <Select value={state} choices={states} onPick={(one) => goTo(["dead-letters"], { state: one })} />
        </label>
      </p>
      <LivePanel title={`Dead letters, ${state}`} live={live} wide>
        {({ deadLetters }) => (
          <>
            <Table
              title={`Dead letters, ${state}`}
              rows={deadLetters}
              keyOf={({ id }) => id}
              columns={columns}
              empty={state === "open" ? "No open dead letters." : `No dead letter is ${state}.`}
            />
            {deadLetters.length === limit && <p class="hint">Only {limit} are shown. The command `list` has all.</p>}
          </>
        )}
      </LivePanel>
    </>
  );
}
