import { gatewayFlagSettings } from "@tally/admin";
import { gatewaySettings } from "@tally/gateway";
import { rankerSettings } from "@tally/ranker";
import { systemSettings, type Setting } from "@tally/runtime";
import { writerSettings } from "@tally/writer";
import { table } from "./table.ts";

type Settings = Readonly<Record<string, Setting>>;

// The default depends on the machine: the document states the rule.
const ofMachine: Readonly<Record<string, string>> = { WRITER_THREADS: "half of the cores" };

/** docs/settings.md. */
export function settingsReference(): string {
  const common: Settings = { ...systemSettings, domains: gatewaySettings.domains };
  const shared = new Set(Object.values(common).map(({ variable }) => variable));
  const own = (settings: Settings): string =>
    settingsTable(Object.values(settings).filter(({ variable }) => !shared.has(variable)));
  const all = [common, gatewaySettings, writerSettings, rankerSettings].flatMap((settings: Settings) =>
    Object.values(settings),
  );
  const files = new Set(all.flatMap(({ fileVariable }) => (fileVariable === undefined ? [] : [`\`${fileVariable}\``])));
  return `# Settings

Each app reads its environment once, when it starts, and checks it as a whole. For wrong and missing values it
prints every variable with what is expected, and exits with status 2. An empty variable counts as absent. What is not
listed here is a constant in the code.

Secrets can be in files, as containers mount them: ${[...files].join(", ")} hold the path of a file with the value. A
line break at its end is
dropped. A variable and its file at once are an error. Logs show URLs without passwords.

### All apps

${settingsTable(Object.values(common))}

\`tally\` reads the same settings without \`DOMAINS\`: its commands take \`--domain\`.

### Gateway

${own(gatewaySettings)}

### Writer

${own(writerSettings)}

### Ranker

${own(rankerSettings)}

### Commands that use a gateway

${settingsTable(Object.values<Setting>(gatewayFlagSettings))}
`;
}

function settingsTable(settings: readonly Setting[]): string {
  return table(
    ["variable", "expected", "default", "meaning"],
    settings.map(({ variable, expected, default: preset, description }) => {
      const text = String(preset); // joins a list with commas
      const value = preset === undefined ? "must be set" : text === "" ? "none" : `\`${text}\``;
      return [`\`${variable}\``, expected, ofMachine[variable] ?? value, description];
    }),
  );
}
