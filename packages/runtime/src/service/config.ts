import { readFileSync } from "node:fs";
import type { Setting, SettingValue } from "./setting.ts";
import type { CatalogueEntry } from "../failures/failures.ts";

/** The settings of an app by their names in the code. */
export type ConfigSchema = Readonly<Record<string, Setting>>;

export type Config<Schema extends ConfigSchema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends Setting<infer Value> ? Value : never;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The only reader of the environment. Throws a ConfigError. Empty is absent; NAME_FILE names a secret's file. */
export function readConfig<Schema extends ConfigSchema>(
  schema: Schema,
  environment: Environment = process.env,
): Config<Schema> {
  const config: Record<string, SettingValue> = {};
  const problems: ConfigProblem[] = [];
  for (const [name, setting] of Object.entries(schema)) {
    const result = readSetting(setting, environment);
    if ("value" in result) config[name] = result.value;
    else problems.push(result);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Without problems the loop has set every name of the schema to a value of its setting's type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.freeze(config) as Config<Schema>;
}

/** readConfig for the first line of a main.ts: prints problems to stderr and exits with status 2. */
export function readConfigOrExit<Schema extends ConfigSchema>(schema: Schema): Config<Schema> {
  try {
    return readConfig(schema);
  } catch (error) {
    if (error instanceof ConfigError) exitForConfigError(error);
    throw error;
  }
}

function readSetting(setting: Setting, environment: Environment): { readonly value: SettingValue } | ConfigProblem {
  const { variable, fileVariable, expected } = setting;
  const given = environment[variable] ?? "";
  const file = fileVariable === undefined ? "" : (environment[fileVariable] ?? "");
  if (fileVariable !== undefined && file !== "" && given !== "")
    return { variable: `${variable} and ${fileVariable}`, expected: "one of the two", got: "both" };
  let text = given;
  if (fileVariable !== undefined && file !== "") {
    const problem = { variable: fileVariable, expected: "the path of a file with the value" };
    try {
      text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
      // Without the path: the variable may contain the secret itself.
      return { ...problem, got: `one that cannot be read (${String(code)})` };
    }
    if (text === "") return { ...problem, got: "an empty file" };
  }
  if (text !== "") {
    const reading = setting.read(text);
    return "value" in reading ? reading : { variable, expected, ...reading };
  }
  return setting.default === undefined ? { variable, expected, got: "nothing" } : { value: setting.default };
}

/** Every error of this package. docs/errors.md is made of it. */
export const serviceErrors = {
  CONFIG_INVALID: {
    message: "the configuration in the environment is not valid",
    when: "a variable is missing or has a wrong value; the error lists all problems at once",
  },
} as const satisfies Record<string, CatalogueEntry>;

interface ConfigProblem {
  readonly variable: string;
  readonly expected: string;
  /** Safe to print. */
  readonly got: string;
}

/** All problems of an environment at once. Contains no secret. */
export class ConfigError extends Error {
  readonly code = "CONFIG_INVALID";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ variable, expected, got }) => `  ${variable}: expected ${expected}, got ${got}`);
    super([serviceErrors.CONFIG_INVALID.message, ...lines].join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** For the top of a process: prints the problems to stderr without a stack, and exits with status 2. */
export function exitForConfigError(error: ConfigError): never {
  process.stderr.write(`${error.message}\n`); // synchronous for a file, a pipe and a terminal
  return process.exit(2);
}
