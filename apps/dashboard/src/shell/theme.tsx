import { computed, signal } from "@preact/signals";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const storedAs = "tally-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(prefersDark.matches);

/** What the user has chosen; "system" follows the browser. */
const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(storedAs)) ?? "system");

/** The colours in use. */
export const scheme = computed(() => {
  if (theme.value !== "system") return theme.value;
  return systemIsDark.value ? "dark" : "light";
});

/** Applies the theme now and at each change. */
export function startTheme(): void {
  prefersDark.addEventListener("change", ({ matches }) => (systemIsDark.value = matches));
  theme.subscribe((chosen) => {
    document.documentElement.dataset["theme"] = chosen;
    localStorage.setItem(storedAs, chosen);
  });
}

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
