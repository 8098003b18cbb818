import { useEffect, useState } from "preact/hooks";
import { goTo } from "../../route/route.ts";
import type { Board } from "./boards.ts";

interface ParameterFormProps {
  readonly board: Board;
  readonly values: Readonly<Record<string, string>>;
}

/** Asks for the values of a board's parameters. They become part of the address. */
export function ParameterForm({ board, values }: ParameterFormProps) {
  const [texts, setTexts] = useState(values);
  const current = JSON.stringify(values);
  useEffect(() => setTexts(values), [board, current]);
  const change = (name: string, text: string): void => setTexts((before) => ({ ...before, [name]: text }));
  return (
    <form
      class="pick"
      onSubmit={(event) => {
        event.preventDefault();
        goTo(["boards", board.domain, board.name], texts);
      }}
    >
      {board.params.map((param) => (
        <label key={param.name}>
          {param.label}{" "}
          <Input
            param={param}
            isRequired={board.path.split("?", 1)[0]?.includes(`{${param.name}}`) === true}
            value={texts[param.name] ?? ""}
            onChange={(text) => change(param.name, text)}
          />
        </label>
      ))}
      <button type="submit">Show</button>
    </form>
  );
}

interface InputProps {
  readonly param: Board["params"][number];
  readonly isRequired: boolean;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Input({ param: { kind, choices = [] }, isRequired, value, onChange }: InputProps) {
  if (kind === "choice") {
    return (
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  const ofKind = {
    id: { inputMode: "numeric", pattern: String.raw`\s*[0-9]+\s*`, title: "a whole number", size: 10 },
    date: { type: "date" },
    text: { size: 16 },
  } as const;
  return (
    <input
      {...ofKind[kind]}
      required={isRequired}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
