import { type DestinationStream, type Level, type Logger, destination, pino, stdTimeFunctions } from "pino";
import { serialiseError } from "./serialise-error.ts";
import { redactUrls } from "./redact-urls.ts";

export interface LoggerOptions {
  readonly name: string;
  readonly level: Level | "silent";
  /** Where lines go; stdout when absent. */
  readonly destination?: DestinationStream;
}

const secretKeys = ["password", "passwd", "secret", "token", "authorization", "Authorization", "cookie", "key"];
// As pino's paths, because a hyphen needs brackets: the header of an API key.
const secretPaths = [
  ...secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
  ...["", "*", "*.*"].map((parent) => `${parent}["x-api-key"]`),
];

/**
 * JSON lines with ISO time and the level as a word. Values under the names of secrets, down to three levels, and
 * passwords in URLs, anywhere in a line, are masked. Errors under `err` come with stack and causes, without the arguments of commands.
 */
export function createLogger({ name, level, destination: given }: LoggerOptions): Logger {
  return pino(
    {
      name,
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serialiseError },
      redact: { paths: secretPaths, censor: "***" },
      hooks: { streamWrite: redactUrls },
    },
    // One write(2) for each line. It needs no flush, so neither an exit nor the abrupt end of a thread loses a line, and
    // threads, which share the descriptor, do not mix up lines of up to 4,096 bytes.
    given ?? destination({ dest: 1, sync: true }),
  );
}
