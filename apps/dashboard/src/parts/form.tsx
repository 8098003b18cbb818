import { useEffect, useState } from "preact/hooks";
import type { View } from "@tally/contract";

type Param = View["params"][number];
type Values = Readonly<Record<string, string>>;

interface PickFormProps {
  readonly params: readonly Param[];
  readonly values: Values;
  readonly isRequired: (name: string) => boolean;
  readonly onPick: (values: Values) => void;
}

/** Asks for values, such as the number of a store. */
export function PickForm({ params, values, isRequired, onPick }: PickFormProps) {
  const [texts, setTexts] = useState(values);
  useEffect(() => setTexts(values), [params, JSON.stringify(values)]);
  return (
    <form
      class="pick"
      onSubmit={(event) => {
        event.preventDefault();
        onPick(texts);
      }}
    >
      {params.map((param) => (
        <label key={param.name}>
          {param.label}{" "}
          <Input
            param={param}
            isRequired={isRequired(param.name)}
            value={texts[param.name] ?? ""}
            onChange={(text) => setTexts((before) => ({ ...before, [param.name]: text }))}
          />
        </label>
      ))}
      <button type="submit">Show</button>
    </form>
  );
}

interface IdFormProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onPick: (id: string) => void;
}

/** Asks for one number. */
export function IdForm({ label, value = "", onPick }: IdFormProps) {
  const [params] = useState<readonly Param[]>([{ name: "id", label, kind: "id" }]);
  const pick = ({ id = "" }: Values): void => onPick(id.trim());
  return <PickForm params={params} values={{ id: value }} isRequired={() => true} onPick={pick} />;
}

interface InputProps {
  readonly param: Param;
  readonly isRequired: boolean;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

const inputsOfKind = {
  id: { inputMode: "numeric", pattern: String.raw`\s*[0-9]+\s*`, title: "a whole number", size: 10 },
  date: { type: "date" },
  text: { size: 16 },
} as const;

function Input({ param: { kind, choices = [] }, isRequired, value, onChange }: InputProps) {
  if (kind === "choice") return <Select value={value} choices={choices} onPick={onChange} />;
  return (
    <input
      {...inputsOfKind[kind]}
      required={isRequired}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface SelectProps {
  readonly value: string;
  readonly choices: readonly string[];
  readonly onPick: (value: string) => void;
}

export function Select({ value, choices, onPick }: SelectProps) {
  return (
    <select value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}
