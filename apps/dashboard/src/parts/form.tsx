import { useState } from "preact/hooks";
import type { View } from "@tally/contract";
import { today, wordsOf } from "./format.ts";

type Param = View["params"][number];
export type Values = Readonly<Record<string, string>>;

interface PickFormProps {
  readonly params: readonly Param[];
  readonly values: Values;
  readonly isRequired: (name: string) => boolean;
  /** `isTyped`: key by key, so the next value replaces this one. */
  readonly onPick: (values: Values, isTyped?: boolean) => void;
  /** Default: Show. */
  readonly submit?: string;
}

/** Asks for values, such as the number of a store. */
export function PickForm({ params, values, isRequired, onPick, submit = "Show" }: PickFormProps) {
  const [texts, setTexts] = useTyped(values, JSON.stringify([params, values]));
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
      <button type="submit">{submit}</button>
    </form>
  );
}

/** What a user has typed over `value`, until `asked` changes. */
function useTyped<T>(value: T, asked: string) {
  const [typed, setTyped] = useState(value);
  // Not in an effect: an effect runs after the first key press and would undo it.
  const [shown, setShown] = useState(asked);
  if (shown !== asked) {
    setShown(asked);
    setTyped(value);
  }
  return [typed, setTyped] as const;
}

/** Asks for all values but ids. What is picked applies at once: `onPick` gets the value that changes. */
export function Choices({ params, values, onPick }: Omit<PickFormProps, "isRequired" | "submit">) {
  const choices = params.filter(({ kind }) => kind !== "id");
  return (
    <p class="pick">
      {choices.map((param) => (
        <label key={param.name}>
          {param.label}{" "}
          <Input
            param={param}
            isRequired
            value={values[param.name] ?? ""}
            onChange={(text, isTyped) => onPick({ [param.name]: text }, isTyped)}
          />
        </label>
      ))}
    </p>
  );
}

interface IdFormProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onPick: (id: string) => void;
  /** Gets a text that is no number. */
  readonly onSearch: (text: string) => void;
}

/** Asks for a number or a part of a name. */
export function IdForm({ label, value = "", onPick, onSearch }: IdFormProps) {
  const [params] = useState<readonly Param[]>([{ name: "id", label, kind: "text" }]);
  const pick = ({ id = "" }: Values): void => (/^[0-9]+$/.test(id.trim()) ? onPick : onSearch)(id.trim());
  return <PickForm params={params} values={{ id: value }} isRequired={() => true} onPick={pick} />;
}

interface InputProps {
  readonly param: Param;
  readonly isRequired: boolean;
  readonly value: string;
  readonly onChange: (text: string, isTyped?: boolean) => void;
}

const inputsOfKind = {
  id: { inputMode: "numeric", pattern: String.raw`\s*[0-9]+\s*`, title: "a whole number", size: 10 },
  date: { type: "date" },
  text: { size: 16, maxLength: 100 },
} as const;

function Input({ param: { label, kind, choices }, isRequired, value, onChange }: InputProps) {
  if (kind === "choice") return <Select value={value} choices={choices ?? []} onPick={onChange} />;
  if (kind === "date" && choices !== undefined) return <Days {...{ label, value, choices, onChange }} />;
  return (
    <input
      {...inputsOfKind[kind]}
      required={isRequired}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface DaysProps extends Pick<InputProps, "value" | "onChange"> {
  readonly label: string;
  readonly choices: readonly string[];
}

const [oneDay, firstAndLast] = ["a date", "from, to"];

/** Asks for one of the choices, for a date, or for the first and the last date, "2026-11-20..2026-11-26". A new date is
 * today's. */
function Days({ label, value, choices, onChange }: DaysProps) {
  const dates = choices.includes(value) ? [] : value.split("..", 2);
  const names = dates.length === 2 ? ["from", "to"] : [oneDay];
  const pick = (choice: string): void => {
    const last = dates.at(-1) ?? today();
    onChange(choice === oneDay ? last : choice === firstAndLast ? `${last}..${last}` : choice);
  };
  return (
    <>
      <Select
        label={label}
        value={[value, oneDay, firstAndLast][dates.length] ?? value}
        choices={[...choices, oneDay, firstAndLast]}
        onPick={pick}
      />
      {dates.map((date, index) => (
        <Day
          key={names[index]}
          label={`${label}: ${names[index]}`}
          value={date}
          onChange={(day) => onChange(dates.with(index, day).join(".."), true)}
        />
      ))}
    </>
  );
}

/** Asks for a date. While a user types, it is empty, or its year begins with zeros: no render may replace it then, and
 * `onChange` does not get it. */
function Day({ label, value, onChange }: Pick<DaysProps, "label" | "value" | "onChange">) {
  const [text, setText] = useTyped(value, value);
  return (
    <input
      type="date"
      aria-label={label}
      required
      value={text}
      onInput={({ currentTarget: { value: typed } }) => {
        setText(typed);
        if (typed >= "1000") onChange(typed);
      }}
    />
  );
}

interface SelectProps {
  /** Default: the text of the label around it, which must then have no other field. */
  readonly label?: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly onPick: (value: string) => void;
}

export function Select({ label, value, choices, onPick }: SelectProps) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {wordsOf(choice)}
        </option>
      ))}
    </select>
  );
}
