import { firstProblem, IdempotencyKey, InvalidInput } from "@tally/contract";
import { Compile } from "typebox/compile";

/** The header's name, as errors give it. */
export const keyHeader = "Idempotency-Key";

const check = Compile(IdempotencyKey);

/** The request's Idempotency-Key, checked; undefined when it has none. Throws InvalidInput. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== "string" || !check.Check(header)) {
    throw new InvalidInput(keyHeader, firstProblem(check, header).expected, header);
  }
  return header;
}
