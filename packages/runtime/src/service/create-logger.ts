import { destination, pino, stdSerializers, stdTimeFunctions } from "pino";
import type { DestinationStream, Level, Logger, LoggerOptions as PinoOptions } from "pino";
import { reasonOf } from "../failures/failures.ts";

interface LoggerOptions {
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
const depthMax = 8;

/** JSON lines with ISO time and the level as a word. Masks values of secret keys, down to three levels, and passwords
 * in URLs anywhere in a line. Errors under `err` have stack and causes, without the arguments of commands. */
export function createLogger({ name, level, destination: given }: LoggerOptions): Logger {
  const kept: LoggedProblem[] = [];
  const log = pino(
    {
      name,
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serialiseError },
      redact: { paths: secretPaths, censor: "***" },
      hooks: { streamWrite: redactUrls, logMethod: recordTo(kept) },
    },
    // One write(2) for each line. It needs no flush, so neither an exit nor the abrupt end of a thread loses a line.
    // Threads share the descriptor, and lines of up to 4,096 bytes are not mixed.
    given ?? destination({ dest: 1, sync: true }),
  );
  problemsOfLoggers.set(log, kept);
  return log;
}

function serialiseError(error: unknown): unknown {
  return withoutArguments(error instanceof Error ? stdSerializers.err(error) : error, 0);
}

/** Errors of drivers contain the command that failed: the arguments of AUTH are a user and a password. */
function withoutArguments(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (depth === depthMax) return "…";
  if (Array.isArray(value)) return value.map((one: unknown) => withoutArguments(one, depth + 1));
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]): [string, unknown] => [
    key,
    key === "args" ? "***" : withoutArguments(inner, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

export interface LoggedProblem {
  /** ISO 8601. */
  readonly at: string;
  readonly level: "warn" | "error" | "fatal";
  /** With the reason of its error, without passwords in URLs. */
  readonly message: string;
}

const keptMax = 10;
const charactersMax = 500;
const levels: Readonly<Record<number, LoggedProblem["level"]>> = { 40: "warn", 50: "error", 60: "fatal" };

const problemsOfLoggers = new WeakMap<Logger, readonly LoggedProblem[]>();

/** The newest lines of a logger of createLogger with level warn or above, newest first, at most 10. */
export function recentProblems(log: Logger): readonly LoggedProblem[] {
  return problemsOfLoggers.get(log) ?? [];
}

/** A hook for pino that keeps these lines. One lookup for each line. */
function recordTo(kept: LoggedProblem[]): NonNullable<NonNullable<PinoOptions["hooks"]>["logMethod"]> {
  return function logMethod(args, method, levelNumber) {
    const level = levels[levelNumber];
    if (level !== undefined) {
      kept.unshift({ at: new Date().toISOString(), level, message: messageOf(args) });
      if (kept.length > keptMax) kept.pop();
    }
    method.apply(this, args);
  };
}

function messageOf([first, second]: readonly unknown[]): string {
  const error = typeof first === "object" && first !== null ? (Reflect.get(first, "err") ?? first) : undefined;
  const text = typeof first === "string" ? first : typeof second === "string" ? second : "";
  const reason = error instanceof Error ? reasonOf(error) : "";
  const message = [text, reason].filter((part) => part !== "").join(": ");
  return redactUrls(message).slice(0, charactersMax);
}

// A valid URL has no slash, quote or white space between "//" and the "@" behind its password.
const credentials = /:\/\/[^\s/"?#]*@/g;

/** The text with user and password of every URL in it masked. Costs one scan for "@" where there is none. */
function redactUrls(text: string): string {
  return text.includes("@") ? text.replace(credentials, "://***@") : text;
}
