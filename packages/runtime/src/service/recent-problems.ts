import { reasonOf } from "../failures/reason-of.ts";
import type { Logger, LoggerOptions } from "pino";
import { redactUrls } from "./redact-urls.ts";

/** A line of a log. */
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

/** A hook for pino that keeps these lines, and the function that names their logger. The cost is one lookup for each line of the log. */
export function recordProblems(): {
  readonly logMethod: NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]>;
  readonly of: (log: Logger) => void;
} {
  const kept: LoggedProblem[] = [];
  return {
    logMethod(args, method, levelNumber) {
      const level = levels[levelNumber];
      if (level !== undefined) {
        kept.unshift({ at: new Date().toISOString(), level, message: messageOf(args) });
        if (kept.length > keptMax) kept.pop();
      }
      method.apply(this, args);
    },
    of: (log) => void problemsOfLoggers.set(log, kept),
  };
}

function messageOf([first, second]: readonly unknown[]): string {
  const error = typeof first === "object" && first !== null ? (Reflect.get(first, "err") ?? first) : undefined;
  const text = typeof first === "string" ? first : typeof second === "string" ? second : "";
  const reason = error instanceof Error ? reasonOf(error) : "";
  const message = [text, reason].filter((part) => part !== "").join(": ");
  return redactUrls(message).slice(0, charactersMax);
}
