import { computed, signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storedAs = "tally-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(prefersDark.matches);

/** What the user has chosen; "system" follows the browser. */
export const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(storedAs)) ?? "system");

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
