import { stdSerializers } from "pino";

// Errors of drivers carry the command that failed: the arguments of AUTH are a user and a password.
const hiddenKeys: ReadonlySet<string> = new Set(["args"]);
const depthMax = 8;

/** An error as pino tells it, with its stack and causes, and without the arguments of a driver's command at any depth. */
export function serialiseError(error: unknown): unknown {
  return error instanceof Error ? withoutArguments(stdSerializers.err(error), 0) : withoutArguments(error, 0);
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
