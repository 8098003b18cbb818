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
export function settingTables() {
  const common: Settings = { ...systemSettings, domains: gatewaySettings.domains };
  const [ofAll, ofWriter, ofRanker] = [variablesOf(common), variablesOf(writerSettings), variablesOf(rankerSettings)];
  const of = (settings: Settings, variables: ReadonlySet<string>): string =>
    settingsTable(Object.values(settings).filter(({ variable }) => variables.has(variable)));
  const groups: readonly Settings[] = [common, gatewaySettings, writerSettings, rankerSettings, gatewayFlagSettings];
  const all = groups.flatMap((settings) => Object.values(settings));
  const inFiles = new Map(all.map(({ fileVariable, variable }) => [fileVariable, variable]));
  inFiles.delete(undefined);
  return {
    "In files": table(
      ["variable", "the file has"],
      Array.from(inFiles, ([file, variable]) => [`\`${file}\``, `\`${variable}\``]),
    ),
    "All apps": settingsTable(Object.values(common)),
    Gateway: of(gatewaySettings, variablesOf(gatewaySettings).difference(ofAll)),
    "Writer and ranker": of(writerSettings, ofWriter.intersection(ofRanker).difference(ofAll)),
    Writer: of(writerSettings, ofWriter.difference(ofRanker)),
    Ranker: of(rankerSettings, ofRanker.difference(ofWriter)),
    "Commands that use a gateway": settingsTable(Object.values<Setting>(gatewayFlagSettings)),
  };
}

function variablesOf(settings: Settings): ReadonlySet<string> {
  return new Set(Object.values(settings).map(({ variable }) => variable));
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
