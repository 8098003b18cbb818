import { ConfigError, type ConfigProblem, exitForConfigError } from "./config-error.ts";
import { redactUrls } from "./redact-urls.ts";
import { settingText } from "./setting-text.ts";
import type { Setting, SettingValue } from "./setting.ts";

/** The settings of an app: the name it uses in the code, and the environment variable that holds it. */
export type ConfigSchema = Readonly<Record<string, Setting>>;

/** What readConfig makes of a schema. */
export type Config<Schema extends ConfigSchema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends Setting<infer Value> ? Value : never;
};

export interface ConfigRow {
  readonly variable: string;
  readonly expected: string;
  /** Absent: the variable must be set. Passwords in URLs are masked. */
  readonly default: string | undefined;
  readonly description: string;
}

/**
 * The only reader of the environment. Checks the whole of it and gives a frozen object, or throws a ConfigError with all
 * problems. An empty variable counts as absent. A setting that may hold a secret can be in a file: NAME_FILE is its path.
 */
export function readConfig<Schema extends ConfigSchema>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config<Schema> {
  const config: Record<string, SettingValue | undefined> = {};
  const problems: ConfigProblem[] = [];
  for (const [name, setting] of Object.entries(schema)) {
    const { variable, expected } = setting;
    const found = settingText(setting, environment);
    if ("problem" in found) {
      problems.push(found.problem);
      continue;
    }
    const { text } = found;
    if (text === "") {
      if (setting.default === undefined) problems.push({ variable, expected, got: "nothing" });
      config[name] = setting.default;
      continue;
    }
    const reading = setting.read(text);
    if (reading.ok) config[name] = reading.value;
    else problems.push({ variable, expected, got: reading.got });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Without problems every name of the schema has been given a value of its setting's type above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.freeze(config) as Config<Schema>;
}

/** readConfig for the first line of a main.ts: problems are printed plainly to stderr and the process exits with 2. */
export function readConfigOrExit<Schema extends ConfigSchema>(schema: Schema): Config<Schema> {
  try {
    return readConfig(schema);
  } catch (error) {
    if (error instanceof ConfigError) exitForConfigError(error);
    throw error;
  }
}

/** One row for each variable, in the schema's order: for documents, and for tests that hold documents to the code. */
export function describeConfig(schema: ConfigSchema): readonly ConfigRow[] {
  return Object.values(schema).map(({ variable, expected, default: preset, description }) => ({
    variable,
    expected,
    default: preset === undefined ? undefined : redactUrls(String(preset)), // a list is joined with commas
    description,
  }));
}

/** The settings as rows of a Markdown table, "| variable | expected | default | what it is |": a test holds documents to them. */
export function configTable(schema: ConfigSchema): readonly string[] {
  return describeConfig(schema).map(({ variable, expected, default: preset, description }) => {
    const value = preset === undefined ? "must be set" : preset === "" ? "none" : `\`${preset}\``;
    return `| \`${variable}\` | ${expected} | ${value} | ${description} |`;
  });
}
