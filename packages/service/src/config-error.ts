export interface ConfigProblem {
  readonly variable: string;
  readonly expected: string;
  /** Safe to print. */
  readonly got: string;
}

/** The environment does not hold what a schema asks for: every problem at once, none with a secret in it. */
export class ConfigError extends Error {
  readonly code = "CONFIG_INVALID";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ variable, expected, got }) => `  ${variable}: expected ${expected}, got ${got}`);
    super(["the configuration in the environment is not valid", ...lines].join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** For the top of a process: the problems go to stderr in plain lines, without a stack, and the exit status is 2. */
export function exitForConfigError(error: ConfigError): never {
  process.stderr.write(`${error.message}\n`); // a file, a pipe or a terminal: all are written before the exit
  return process.exit(2);
}
