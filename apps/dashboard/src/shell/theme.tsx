import { computed, signal } from "@preact/signals";
import { Select } from "../parts/form.tsx";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const storedAs = "tally-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(prefersDark.matches);

/** What the user has chosen; "system" follows the browser. */
const theme = signal(themeOf(localStorage.getItem(storedAs)));

function themeOf(text: string | null): Theme {
  return themes.find((one) => one === text) ?? "system";
}

/** The colours in use. */
export const scheme = computed(() => {
  if (theme.value !== "system") return theme.value;
  return systemIsDark.value ? "dark" : "light";
});

/** Now and at each change. */
export function startTheme(): void {
  prefersDark.addEventListener("change", ({ matches }) => (systemIsDark.value = matches));
  theme.subscribe((chosen) => {
    document.documentElement.dataset["theme"] = chosen;
    localStorage.setItem(storedAs, chosen);
  });
}

const names = { system: "System", light: "Light", dark: "Dark" } as const;

export function ThemeChoice() {
  return (
    <label class="theme">
      Colours{" "}
      <Select
        value={theme.value}
        choices={themes}
        textOf={(one) => names[one]}
        onPick={(one) => (theme.value = themeOf(one))}
      />
    </label>
  );
}
