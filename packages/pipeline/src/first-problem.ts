import type { TSchema } from "typebox";
import { escapePointer, longList } from "./long-list.ts";
import { showValue } from "./show-value.ts";

// Short enough for a log line, whatever a client sent.
const charactersMax = 60;

/** Where a value breaks its schema: the field, what was expected there, and both in one sentence for a person. */
export interface Problem {
  readonly field: string;
  readonly expected: string;
  readonly message: string;
}

/** The two questions that a compiled TypeBox schema answers. */
export interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly ValidationError[];
  Type(): TSchema;
}

interface ValidationError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly message: string;
  readonly params: object;
}

/**
 * Says the first problem of a value that failed its check. A schema's own `expected: "…"` is quoted where it has one; so
 * the words stand beside the rule. Only for values that did fail: it costs a walk of all that the schema allows, 20 µs for an item of a list.
 * A list that is too long is named before any other problem, because that walk would enter each of its entries.
 */
export function firstProblem(validator: Validator, value: unknown): Problem {
  const long = longList(validator.Type(), value);
  if (long !== undefined) {
    const field = fieldOf(long.instancePath);
    const expected = expectedAt(validator.Type(), long.schemaPath) ?? "a shorter list";
    return { field, expected, message: `${field}: expected ${expected}, got ${showValue(long.list)}` };
  }
  const errors = validator.Errors(value);
  const error = errors[0];
  if (error === undefined) throw new Error("firstProblem was asked about a value that has no problem");
  const { field, expected } = describe(validator.Type(), error);
  return {
    field,
    expected,
    message: `${field}: expected ${expected}, got ${showValue(valueAt(value, error), charactersMax)}`,
  };
}

function describe(schema: TSchema, error: ValidationError): { field: string; expected: string } {
  const field = fieldOf(error.instancePath);
  if (error.keyword === "required") {
    const missing = stringsIn(error.params, "requiredProperties")[0] ?? "a field";
    return {
      field: field === "body" ? missing : `${field}.${missing}`,
      expected: expectedAt(schema, `${error.schemaPath}/properties/${escapePointer(missing)}`) ?? "a value",
    };
  }
  if (error.keyword === "boolean" || error.keyword === "additionalProperties") {
    const unknown = stringsIn(error.params, "additionalProperties")[0];
    return { field: unknown === undefined ? field : `${field}.${unknown}`, expected: "no such field" };
  }
  return { field, expected: expectedAt(schema, error.schemaPath) ?? error.message.replace(/^must (be |match )?/, "") };
}

// "/items/0/ItemID" reads as "items[0].ItemID", the way a person would write it.
function fieldOf(instancePath: string): string {
  if (instancePath === "") return "body";
  return instancePath
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`), "");
}

// The nearest `expected` on the way from the root of the schema to the rule that was broken.
function expectedAt(schema: TSchema, schemaPath: string): string | undefined {
  let node: unknown = schema;
  let expected = expectedOf(node);
  for (const part of schemaPath.replace(/^#\/?/, "").split("/")) {
    if (typeof node !== "object" || node === null) break;
    node = Reflect.get(node, part.replaceAll("~1", "/").replaceAll("~0", "~"));
    expected = expectedOf(node) ?? expected;
  }
  return expected;
}

function expectedOf(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const expected: unknown = Reflect.get(node, "expected");
  return typeof expected === "string" ? expected : undefined;
}

function stringsIn(params: object, name: string): readonly string[] {
  const value: unknown = Reflect.get(params, name);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function valueAt(value: unknown, error: ValidationError): unknown {
  if (error.keyword === "required") return undefined;
  let node = value;
  for (const part of error.instancePath.split("/").slice(1)) {
    if (typeof node !== "object" || node === null) return node;
    node = Reflect.get(node, part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return node;
}
