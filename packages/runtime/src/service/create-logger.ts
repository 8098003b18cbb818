import {
  destination,
  pino,
  stdSerializers,
  stdTimeFunctions,
  type DestinationStream,
  type Level,
  type Logger,
} from "pino";
import { recordProblems } from "./recent-problems.ts";
import { redactUrls } from "./redact-urls.ts";

export interface LoggerOptions {
  readonly name: string;
  readonly level: Level | "silent";
  /** Receives the lines; default: stdout. */
  readonly destination?: DestinationStream;
}

const secretKeys = ["password", "passwd", "secret", "token", "authorization", "Authorization", "cookie", "key"];
// Pino's paths. The header of an API key needs brackets because of its hyphen.
const secretPaths = [
  ...secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
  ...["", "*", "*.*"].map((parent) => `${parent}["x-api-key"]`),
];
// Errors of drivers contain the command that failed: the arguments of AUTH are a user and a password.
const hiddenKeys: ReadonlySet<string> = new Set(["args"]);
const depthMax = 8;

/**
 * JSON lines with ISO time and the level as a word. Masks values of secret keys, down to three levels, and passwords in URLs anywhere in a line.
 * Errors under `err` have stack and causes, without the arguments of commands.
 */
export function createLogger({ name, level, destination: given }: LoggerOptions): Logger {
  const recorder = recordProblems();
  const log = pino(
    {
      name,
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serialiseError },
      redact: { paths: secretPaths, censor: "***" },
      hooks: { streamWrite: redactUrls, logMethod: recorder.logMethod },
    },
    // One write(2) for each line. It needs no flush, so neither an exit nor the abrupt end of a thread loses a line. Threads share
    // the descriptor, and lines of up to 4,096 bytes are not mixed.
    given ?? destination({ dest: 1, sync: true }),
  );
  recorder.of(log);
  return log;
}

function serialiseError(error: unknown): unknown {
  return withoutArguments(error instanceof Error ? stdSerializers.err(error) : error, 0);
}

function withoutArguments(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (depth === depthMax) return "…";
  if (Array.isArray(value)) return value.map((one: unknown) => withoutArguments(one, depth + 1));
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]): [string, unknown] => [
    key,
    hiddenKeys.has(key) ? "***" : withoutArguments(inner, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
