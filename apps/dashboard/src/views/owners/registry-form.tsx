import type { View } from "@tally/contract";
import { useState } from "preact/hooks";
import { CallError, send } from "../../http/call.ts";
import { useWatch, type BodyOf } from "../../live/use-watch.ts";
import { PickForm } from "../../parts/form.tsx";
import { compactDate } from "../../parts/format.ts";
import { Message } from "../../parts/panel.tsx";
import type { Values } from "../boards/boards.ts";

export type Entry = BodyOf<"/stores">["stores"][number] | BodyOf<"/items">["items"][number];
export type Entries = Readonly<Partial<Record<string, readonly Entry[]>>>;

export const idOf = (entry: Entry): number => ("storeID" in entry ? entry.storeID : entry.itemID);

interface RegistryFormProps {
  readonly many: "stores" | "items";
  readonly id: string;
}

/** Shows and changes what is registered of a store or an item. A change needs a key with the scope `operate`. */
export function RegistryForm({ many, id }: RegistryFormProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="edit" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{many === "stores" ? "Name, region and clock" : "Name and category"}</summary>
      {isOpen && <Loaded many={many} id={id} />}
    </details>
  );
}

function Loaded({ many, id }: RegistryFormProps) {
  // The page of a list, because GET /stores/{storeID} is 404 for a store that is not registered.
  const after = Number(id) === 0 ? "" : `&after=${Number(id) - 1}`;
  const { body, problem } = useWatch<Entries>(`/${many}?limit=1${after}`);
  if (body === undefined)
    return <Message kind={problem ? "problem" : "waiting"}>{problem?.message ?? "Loading…"}</Message>;
  return <Fields many={many} id={id} loaded={body[many]?.find((entry) => idOf(entry) === Number(id))} />;
}

interface FieldsProps extends RegistryFormProps {
  /** A later one does not replace what the user types. */
  readonly loaded: Entry | undefined;
}

function Fields({ many, id, loaded }: FieldsProps) {
  const [stored, setStored] = useState(loaded);
  const [outcome, setOutcome] = useState<{ readonly isSaved: boolean; readonly text: string }>();
  const save = async (values: Values): Promise<void> => {
    const entry = JSON.stringify(many === "stores" ? storeOf(values, stored) : given(values));
    try {
      const body = new Blob([entry], { type: "application/json" });
      setStored(await (await send(`/${many}/${id}`, { method: "PUT", body })).json());
      setOutcome({ isSaved: true, text: "Saved. Rankings show a new name within seconds." });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setOutcome({ isSaved: false, text: `Not saved: ${error.message}` });
    }
  };
  return (
    <>
      <PickForm
        params={params[many]}
        values={{ ...defaults[many], ...textsOf(stored) }}
        isRequired={(name) => name === (many === "stores" ? "zone" : "name")}
        submit="Save"
        onPick={(values) => void save(values)}
      />
      <div role="status">
        {outcome !== undefined && <Message kind={outcome.isSaved ? "empty" : "problem"}>{outcome.text}</Message>}
      </div>
    </>
  );
}

const name = { name: "name", label: "Name", kind: "text" } as const;
const params: Readonly<Record<RegistryFormProps["many"], View["params"]>> = {
  stores: [
    name,
    { name: "region", label: "Region", kind: "text" },
    { name: "validFrom", label: "Region valid from (default today)", kind: "date" },
    { name: "zone", label: "Time zone", kind: "text" },
    { name: "closingHour", label: "Day ends at hour", kind: "choice", choices: ["0", "1", "2", "3", "4", "5", "6"] },
  ],
  items: [name, { name: "category", label: "Category", kind: "text" }],
};

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const defaults = { stores: { zone: timeZone, closingHour: "0" }, items: {} };

/** The day of the region is asked for with each new region. */
function textsOf(stored: Entry | undefined): Values {
  const texts = Object.entries({ ...stored, validFrom: "" }).map(([field, value]) => [field, String(value)]);
  return Object.fromEntries(texts);
}

// A PUT leaves unchanged what it does not have.
const given = (values: Values): Values =>
  Object.fromEntries(
    ["name", "region", "zone", "category"].flatMap((field) => {
      const text = values[field]?.trim() ?? "";
      return text === "" ? [] : [[field, text]];
    }),
  );

/** With the region only if it or its day is new: a region without a day is valid from today on. */
function storeOf(values: Values, stored: Entry | undefined) {
  const { closingHour, validFrom = "" } = values;
  const { region, ...others } = given(values);
  const isNew = validFrom !== "" || region !== textsOf(stored)["region"];
  return {
    ...others,
    closingHour,
    ...(isNew && region !== undefined && { region }),
    ...(validFrom !== "" && { validFrom: compactDate(validFrom) }),
  };
}
