import { useEffect, useState } from "preact/hooks";

interface PickFormProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onPick: (id: string) => void;
}

/** Asks for a number, such as that of a store. */
export function PickForm({ label, value = "", onPick }: PickFormProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <form
      class="pick"
      onSubmit={(event) => {
        event.preventDefault();
        onPick(text.trim());
      }}
    >
      <label>
        {label}{" "}
        <input
          inputMode="numeric"
          pattern="\s*[0-9]+\s*"
          title="a whole number"
          required
          size={10}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>{" "}
      <button type="submit">Show</button>
    </form>
  );
}
