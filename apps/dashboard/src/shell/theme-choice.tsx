import { theme, themes } from "./theme.ts";

const names = { system: "System", light: "Light", dark: "Dark" } as const;

/** The switch between dark and light. */
export function ThemeChoice() {
  return (
    <label class="theme">
      Colours{" "}
      <select
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = themes.find((one) => one === currentTarget.value) ?? "system";
        }}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </label>
  );
}
