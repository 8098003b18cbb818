import type { CatalogueEntry } from "../failures/catalogued-error.ts";

/** Every error of this package. docs/errors.md is made of it. */
export const serviceErrors = {
  CONFIG_INVALID: {
    message: "the configuration in the environment is not valid",
    when: "a variable is missing or has a wrong value; the error lists all problems at once",
  },
} as const satisfies Record<string, CatalogueEntry>;

export interface ConfigProblem {
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
