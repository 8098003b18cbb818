import type { TSchema } from "typebox";

// Short enough for a log line.
const charactersMax = 60;

/** Where a value breaks its schema: the field, what was expected, and both in one sentence. */
export interface Problem {
  readonly field: string;
  readonly expected: string;
  readonly message: string;
}

/** A compiled TypeBox schema. */
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
 * The first problem of a value that failed its check. Quotes the schema's own `expected: "…"` if it has one. Only for
 * values that did fail: it walks the whole value, about 20 µs for each entry of a list. A list that is too long is
 * reported first, without that walk.
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
  if (error === undefined) throw new Error("firstProblem: expected a value that breaks its schema");
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

// "/items/0/ItemID" → "items[0].ItemID".
function fieldOf(instancePath: string): string {
  if (instancePath === "") return "body";
  return instancePath
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`), "");
}

// The nearest `expected` on the path from the root of the schema to the broken rule.
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

/** A list that is longer than its schema allows. */
interface LongList {
  /** JSON pointers. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly list: readonly unknown[];
}

/**
 * The first list with more entries than its schema's maxItems. Follows the properties of the schema and enters no list:
 * constant cost.
 */
function longList(schema: TSchema, value: unknown, instancePath = "", schemaPath = "#"): LongList | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const max: unknown = Reflect.get(schema, "maxItems");
    return typeof max === "number" && value.length > max ? { instancePath, schemaPath, list: value } : undefined;
  }
  const properties: unknown = Reflect.get(schema, "properties");
  if (typeof properties !== "object" || properties === null) return undefined;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = longList(
      property,
      Reflect.get(value, name),
      `${instancePath}/${escapePointer(name)}`,
      `${schemaPath}/properties/${escapePointer(name)}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Escapes a name for a JSON pointer (RFC 6901). */
function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A value for an error message: as JSON, at most `max` characters. Of a list only the length. */
export function showValue(value: unknown, max = 200): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // JSON.parse makes Infinity of 1e400, and JSON.stringify makes null of Infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return `a number beyond ±${Number.MAX_VALUE}`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > max ? `${text.slice(0, max - 3)}...` : text;
}
