import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { fieldIn } from "./json.ts";

// Short enough for a log line.
const charactersMax = 60;

/** Where a value breaks its schema: the field, what was expected, and both in one sentence. */
export type Problem = Readonly<Record<"field" | "expected" | "message", string>>;

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

/** Quotes the schema's own `expected: "…"` if it has one. Only for values that failed their check: it asks for all errors
 * of the value, about 20 µs for each entry of a list, of which it leaves one. A list that is too long is reported first,
 * without a look at its entries. */
export function firstProblem(validator: Validator, value: unknown): Problem {
  const schema = validator.Type();
  const long = longList(schema, value);
  if (long !== undefined) {
    const expected = expectedAt(schema, long.schemaPath) ?? "a shorter list";
    return problemOf(fieldOf(long.instancePath), expected, showValue(long.list));
  }
  const places = new Map<string, number>();
  const [found] = validator.Errors(withShortLists(schema, value, places));
  if (found === undefined) throw new Error("firstProblem: expected a value that breaks its schema");
  const error = { ...found, instancePath: originalPath(found.instancePath, places) };
  const { field, expected } = describe(schema, error);
  const got = error.keyword === "required" ? undefined : nodesAt(value, error.instancePath).at(-1);
  return problemOf(field, expected, showValue(got, charactersMax));
}

function problemOf(field: string, expected: string, got: string): Problem {
  return { field, expected, message: `${field}: expected ${expected}, got ${got}` };
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
  const join = (path: string, part: string) =>
    /^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`;
  return instancePath === "" ? "body" : partsOf(instancePath).reduce(join, "");
}

// The nearest `expected` on the path from the root of the schema to the broken rule.
function expectedAt(schema: TSchema, schemaPath: string): string | undefined {
  return nodesAt(schema, schemaPath)
    .map((node) => fieldIn(node, "expected"))
    .findLast((expected) => typeof expected === "string");
}

/** The values on the way of a JSON pointer (RFC 6901), the whole value first; ends at a value without fields. */
function nodesAt(value: unknown, pointer: string): readonly unknown[] {
  const nodes = [value];
  for (const part of partsOf(pointer)) {
    const node = nodes.at(-1);
    if (!isObject(node)) break;
    nodes.push(Reflect.get(node, part));
  }
  return nodes;
}

function partsOf(pointer: string): readonly string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function stringsIn(params: object, name: string): readonly string[] {
  const value: unknown = Reflect.get(params, name);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

interface LongList {
  /** JSON pointers. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly list: readonly unknown[];
}

/** The first list with more entries than its schema's maxItems. Enters no list: constant cost. */
function longList(schema: TSchema, value: unknown, instancePath = "", schemaPath = "#"): LongList | undefined {
  if (!isObject(value)) return undefined;
  if (Array.isArray(value)) {
    const max: unknown = Reflect.get(schema, "maxItems");
    return typeof max === "number" && value.length > max ? { instancePath, schemaPath, list: value } : undefined;
  }
  const properties: unknown = Reflect.get(schema, "properties");
  if (!isObject(properties)) return undefined;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const part = escapePointer(name);
    const field: unknown = Reflect.get(value, name);
    const found = longList(property, field, `${instancePath}/${part}`, `${schemaPath}/properties/${part}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value with one entry instead of all entries of each list: the first that fails, else the first. It is repeated
 * for `minItems`. Adds the entry's index to `places`, by the list's JSON pointer. */
function withShortLists(schema: TSchema, value: unknown, places: Map<string, number>, path = ""): unknown {
  if (Array.isArray(value)) {
    const items: unknown = Reflect.get(schema, "items");
    if (!isObject(items) || Array.isArray(items) || value.length === 0) return value;
    const check = checkOf(items);
    const failing = value.findIndex((one) => !check.Check(one));
    const at = failing < 0 ? 0 : failing;
    places.set(path, at);
    const min: unknown = Reflect.get(schema, "minItems");
    const entry: unknown = value[at];
    return Array<unknown>(Math.min(value.length, typeof min === "number" ? Math.max(min, 1) : 1)).fill(entry);
  }
  const properties: unknown = Reflect.get(schema, "properties");
  if (!isObject(value) || !isObject(properties)) return value;
  const cuts: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const field: unknown = Reflect.get(value, name);
    const cut = withShortLists(property, field, places, `${path}/${escapePointer(name)}`);
    if (cut !== field) cuts[name] = cut;
  }
  return Object.keys(cuts).length === 0 ? value : { ...value, ...cuts };
}

const checks = new WeakMap<object, Pick<Validator, "Check">>();

/** Of the entries of a list, compiled once. */
function checkOf(items: TSchema): Pick<Validator, "Check"> {
  const known = checks.get(items);
  if (known !== undefined) return known;
  const check = Compile(items);
  checks.set(items, check);
  return check;
}

function originalPath(path: string, places: ReadonlyMap<string, number>): string {
  for (const [list, at] of places)
    if (path.startsWith(`${list}/`)) return `${list}/${path.slice(list.length + 1).replace(/^\d+/, String(at))}`;
  return path;
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A value for an error message: as JSON, at most `max` characters; a list as its length. */
function showValue(value: unknown, max = 200): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // JSON.parse makes Infinity of 1e400, and JSON.stringify makes null of Infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return `a number beyond ±${Number.MAX_VALUE}`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > max ? `${text.slice(0, max - 3)}...` : text;
}

/** A client's mistake in one field, such as the 30th of February. The gateway responds with 400 and this message. */
export class InvalidInput extends Error {
  readonly code = "INVALID_INPUT";

  constructor(field: string, expected: string, got: unknown) {
    super(`${field}: expected ${expected}, got ${showValue(got)}`);
  }

  static of({ field, expected, message }: Problem): InvalidInput {
    return Object.assign(new InvalidInput(field, expected, undefined), { message });
  }
}

/** A request that names something that does not exist. The gateway responds with 404 and this message. */
export class NotFound extends Error {
  readonly code = "NOT_FOUND";

  constructor(field: string, expected: string, got: string) {
    super(`${field}: expected ${expected}, got ${showValue(got)}`);
  }
}
