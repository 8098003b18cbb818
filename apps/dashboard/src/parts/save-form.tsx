import type { View } from "@tally/contract";
import { useState } from "preact/hooks";
import { send } from "../http/call.ts";
import { PickForm, type Values } from "./form.tsx";
import { useOutcome } from "./outcome.tsx";

interface SaveFormProps<T> {
  readonly path: string;
  readonly params: View["params"];
  /** A later one does not replace what the user types. */
  readonly loaded: T;
  readonly valuesOf: (stored: T) => Values;
  readonly isRequired: (name: string) => boolean;
  readonly bodyOf: (values: Values, shown: Values) => object;
  /** What happens when it is saved. */
  readonly saved: string;
}

/** Changes a resource by its PUT, which needs a key with the scope `operate`. */
export function SaveForm<T>({ path, params, loaded, valuesOf, isRequired, bodyOf, saved }: SaveFormProps<T>) {
  const [stored, setStored] = useState(loaded);
  const shown = valuesOf(stored);
  const { outcome, attempt } = useOutcome();
  const save = async (values: Values): Promise<void> => {
    const body = JSON.stringify(bodyOf(values, shown));
    setStored(await (await send(path, { method: "PUT", body })).json());
  };
  return (
    <>
      <PickForm
        {...{ params, isRequired }}
        values={shown}
        submit="Save"
        onPick={(values) => void attempt(save(values), `Saved. ${saved}`, "Not saved")}
      />
      {outcome}
    </>
  );
}
