import { firstProblem, type Validator } from "@tally/contract";

/** What is wrong with a stored file, such as "rounds: expected integer, got null"; undefined: nothing. */
export function problemIn(text: string, schema: Validator): string | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return "expected JSON";
  }
  return problemOf(content, schema);
}

/** The same for a value. */
export function problemOf(content: unknown, schema: Validator): string | undefined {
  return schema.Check(content) ? undefined : firstProblem(schema, content).message;
}
