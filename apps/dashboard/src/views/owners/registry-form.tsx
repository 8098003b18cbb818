import type { View } from "@tally/contract";
import { useWatch, type BodyOf } from "../../live/use-watch.ts";
import { compactDate } from "../../parts/format.ts";
import { Edit, Message } from "../../parts/panel.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
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
  return (
    <Edit summary={many === "stores" ? "Name, region, clock and currency" : "Name and category"}>
      <Loaded many={many} id={id} />
    </Edit>
  );
}

function Loaded({ many, id }: RegistryFormProps) {
  // The page of a list, because GET /stores/{storeID} is 404 for a store that is not registered.
  const after = Number(id) === 0 ? "" : `&after=${Number(id) - 1}`;
  const { body, problem } = useWatch<Entries>(`/${many}?limit=1${after}`);
  if (body === undefined)
    return <Message kind={problem ? "problem" : "waiting"}>{problem?.message ?? "Loading…"}</Message>;
  return (
    <SaveForm<Entry | undefined>
      path={`/${many}/${id}`}
      params={params[many]}
      loaded={body[many]?.find((entry) => idOf(entry) === Number(id))}
      valuesOf={(stored) => valuesOf(many, stored)}
      isRequired={(field) => field === (many === "stores" ? "zone" : "name")}
      bodyOf={changed}
      saved="Rankings show a new name within seconds."
    />
  );
}

const name = { name: "name", label: "Name", kind: "text" } as const;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const hours = ["0", "1", "2", "3", "4", "5", "6"];
const params: Readonly<Record<RegistryFormProps["many"], View["params"]>> = {
  stores: [
    name,
    { name: "region", label: "Region", kind: "text" },
    { name: "validFrom", label: "Region valid from (default today)", kind: "date" },
    { name: "zone", label: "Time zone", kind: "text", default: zone },
    { name: "closingHour", label: "Day ends at hour", kind: "choice", default: "0", choices: hours },
    { name: "currency", label: "Currency, such as EUR", kind: "text" },
  ],
  items: [
    name,
    { name: "category", label: "Category", kind: "text" },
    { name: "validFrom", label: "Category valid from (default today in UTC)", kind: "date" },
  ],
};

/** What the form shows first. The day of a region or a category is asked for with each new one. */
function valuesOf(many: RegistryFormProps["many"], stored: Entry | undefined): Values {
  const known: Readonly<Record<string, string | number | undefined>> = { ...stored, validFrom: "" };
  return Object.fromEntries(params[many].map((one) => [one.name, `${known[one.name] ?? one.default ?? ""}`]));
}

const dated = ["region", "category"];

/** What is not empty: a PUT leaves the rest unchanged. A region or a category that is neither new nor has a new day would
 * become valid today. */
function changed(values: Values, before: Values): Values {
  const isMoved = dated.some((field) => values[field] !== before[field]) || values["validFrom"] !== "";
  const texts = Object.entries(values).map(([field, text]) => [field, text.trim()] as const);
  const kept = texts.filter(([field, text]) => text !== "" && (!dated.includes(field) || isMoved));
  return Object.fromEntries(kept.map(([field, text]) => [field, field === "validFrom" ? compactDate(text) : text]));
}
