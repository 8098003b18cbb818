import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandsReference } from "./commands-reference.ts";
import { errorsReference } from "./errors-reference.ts";
import { metricsReference } from "./metrics-reference.ts";
import { settingsReference } from "./settings-reference.ts";

/** The documents that are made of the code, by their names in docs/. */
export async function references(): Promise<Readonly<Record<string, string>>> {
  return {
    "commands.md": commandsReference(),
    "errors.md": errorsReference(),
    "metrics.md": await metricsReference(),
    "settings.md": settingsReference(),
  };
}

/* `pnpm references` writes them. `oxfmt` formats them afterwards. */
if (import.meta.main) {
  for (const [name, text] of Object.entries(await references()))
    writeFileSync(join(import.meta.dirname, "..", "..", "docs", name), text);
}
