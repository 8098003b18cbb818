import { keyedRead, NotFound, putRoute, queryRoute } from "@tally/contract";
import type { Event, EventFiles, InvalidInput, PutRoute, Sources, SqlTransaction, SqlValue } from "@tally/contract";
import { Type, type Static, type TObject, type TProperties } from "typebox";
import { closed, ids, numberFilter, texts, wholeNumbers } from "./values.ts";

/** `columns`: values by column of the table. Undefined or null leaves a stored value unchanged. */
export interface Row {
  readonly id: number;
  readonly columns: Readonly<Record<string, SqlValue | undefined>>;
  /** Of the field that is valid from a day on; undefined leaves it unchanged, without a day it is from today on. */
  readonly version: { readonly value: string | undefined; readonly validFrom: number | undefined };
}

type Fields = Readonly<Record<string, unknown>>;

interface Parts<B extends TObject, R extends Row> {
  /** "store": its id is `storeID` in JSON and `store_id` in SQL, its table and its path are `stores`. */
  readonly one: string;
  readonly put: Pick<PutRoute, "summary" | "description">;
  readonly body: B;
  /** Throws InvalidInput for what the schema cannot express. */
  readonly rowOf: (id: number, body: Static<B>) => R;
  /** Called first. A row with a problem is not written. */
  readonly problemsOf?: (
    transaction: SqlTransaction,
    rows: readonly R[],
    settings: Pick<Sources, "currency">,
  ) => Promise<readonly (InvalidInput | undefined)[]>;
  /** The SQL of each field, in the order of a CSV. */
  readonly fields: Readonly<Record<string, string>>;
  readonly shown: TProperties;
  /** The table of the field that is valid from a day on. */
  readonly versions: {
    readonly table: string;
    /** Called when the rows of the register are written and locked. */
    readonly write: (transaction: SqlTransaction, rows: readonly R[]) => Promise<void>;
  };
  readonly requiredColumns?: readonly string[];
  /** An API key that is limited to stores may use it. */
  readonly isOfStore?: true;
  readonly example: { readonly body: Static<B>; readonly response: Fields };
}

/** What operators configure by id, each with a name: its routes, its files, and its names for rankings. */
export function register<B extends TObject, R extends Row>(parts: Parts<B, R>) {
  const shape = shapeOf(parts);
  return {
    put: putOf(parts, shape),
    queries: [pageOf(shape), oneOf(shape)],
    namesOf: namesOf(shape),
    files: filesOf(parts, shape),
  };
}

type Shape = ReturnType<typeof shapeOf>;

/** What routes and files have in common. */
function shapeOf<B extends TObject, R extends Row>({ one, fields, shown, versions, isOfStore, example }: Parts<B, R>) {
  const [many, idField, ownId, idColumn] = [`${one}s`, `${one}ID`, `${one}_id`, `${one}s.${one}_id`];
  const Params = Type.Object({ [idField]: ids.Text });
  const idOf = (params: Static<typeof Params>): number => ids.parse(idField, params[idField] ?? "");
  const columns = Object.entries(fields).map(([name, sql]) => `${sql} AS ${name}`);
  const join = `LEFT JOIN ${versions.table} AS version ON version.${ownId} = ${idColumn}`;
  const newest = `AND valid_from = (SELECT MAX(valid_from) FROM ${versions.table} WHERE ${ownId} = ${idColumn})`;
  const select = `SELECT ${[`${idColumn} AS ${idField}`, ...columns].join(", ")} FROM`;
  const selectNewest = `${select} ${many} ${join} ${newest} WHERE`;
  return {
    one,
    many,
    response: example.response,
    idField,
    ownId,
    idColumn,
    Params,
    idOf,
    select,
    join,
    selectNewest,
    Shown: Type.Object({ [idField]: Type.Integer(), ...shown }),
    storeOf: (params: Static<typeof Params>) => (isOfStore === true ? idOf(params) : undefined),
    exampleParams: { [idField]: String(example.response[idField]) },
    byId: keyedRead<readonly [id: number], Fields, Fields | undefined>({
      select: `${selectNewest} ${idColumn} IN (?)`,
      key: [idField],
      keysMax: 1e3,
      ofRows: ([row]) => row && present(row),
    }),
  };
}

function putOf<B extends TObject, R extends Row>(parts: Parts<B, R>, shape: Shape) {
  const { many, idField, ownId, Params, Shown, idOf, storeOf, byId, exampleParams } = shape;
  return putRoute({
    path: `/${many}/:${idField}`,
    ...parts.put,
    params: Params,
    body: parts.body,
    response: Shown,
    scope: (params) => `${many}/${idOf(params)}`,
    storeOf,
    rowOf: (params, body) => parts.rowOf(idOf(params), body),
    async put(rows, transaction, settings) {
      // All gateways use this order: two of them do not deadlock.
      const problems = (await parts.problemsOf?.(transaction, rows, settings)) ?? [];
      const sorted = rows.filter((_row, at) => problems[at] === undefined).toSorted((a, b) => a.id - b.id);
      if (sorted.length === 0) return rows.map((_row, at) => problems[at] ?? {});
      const names = Object.keys(sorted[0]?.columns ?? {});
      const kept = names.map((name) => `${name} = COALESCE(VALUES(${name}), ${name})`).join(", ");
      await transaction.upsert(
        `INSERT INTO ${many} (${[ownId, ...names].join(", ")}) VALUES ? ON DUPLICATE KEY UPDATE ${kept}`,
        sorted.map(({ id, columns }) => [id, ...names.map((name) => columns[name] ?? null)]),
      );
      await parts.versions.write(transaction, sorted);
      const stored = await transaction.query<Fields>(byId.select, [sorted.map(({ id }) => id)]);
      const shown = new Map(stored.map((row) => [row[idField], present(row)]));
      return rows.map(({ id }, at) => problems[at] ?? shown.get(id) ?? {});
    },
    examples: { [`a registered ${parts.one}`]: { params: exampleParams, ...parts.example } },
  });
}

function oneOf({ one, many, response, idField, Params, Shown, idOf, storeOf, byId, exampleParams }: Shape) {
  return queryRoute({
    path: `/${many}/:${idField}`,
    summary: `a registered ${one}`,
    params: Params,
    storeOf: ({ params }) => storeOf(params),
    mayMiss: true,
    response: Shown,
    async respond({ params }, { readNewest }) {
      const found = await readNewest(byId, [idOf(params)]);
      if (found === undefined) throw new NotFound(idField, `a registered ${one}`, params[idField] ?? "");
      return found;
    },
    examples: { [`a registered ${one}`]: { params: exampleParams, response } },
  });
}

const pageLimits = wholeNumbers(1, 1000);
const PageQuery = closed({
  limit: Type.Optional(pageLimits.Text),
  after: Type.Optional(ids.Text),
  search: Type.Optional(texts(100)),
});

function pageOf({ many, response, idField, idColumn, selectNewest, Shown }: Shape) {
  // A search reads the whole table. group-reads.ts runs at most two at a time.
  const page = keyedRead<readonly [from: number, pattern: string, limit: number], Fields, readonly Fields[]>({
    select: `${selectNewest} ${idColumn} >= ? AND (? = '%%' OR name LIKE ?) ORDER BY ${idColumn} LIMIT ?`,
    values: ([from, pattern, limit]) => [from, pattern, pattern, limit],
    ofRows: (rows) => rows.map(present),
  });
  return queryRoute({
    path: `/${many}`,
    summary: `the registered ${many} by their ids, 100 by default`,
    description: `Send the last \`${idField}\` as \`after\` to get the next ones. \`search\`: a part of the name, in any case`,
    query: PageQuery,
    response: Type.Object({ [many]: Type.Array(Shown) }),
    async respond({ query: { limit = "100", after, search = "" } }, { read }) {
      const from = after === undefined ? 0 : ids.parse("after", after) + 1;
      const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      return { [many]: [...(await read(page, [from, pattern, pageLimits.parse("limit", limit)]))] };
    },
    examples: { [`all ${many}`]: { response: { [many]: [response] } } },
  });
}

function namesOf({ many, ownId }: Shape) {
  const names = keyedRead<readonly [id: number], { id: number; name: string | null }, string | undefined>({
    select: `SELECT ${ownId} AS id, name FROM ${many} WHERE ${ownId} IN (?)`,
    key: ["id"],
    keysMax: 1000,
    ofRows: ([row]) => row?.name ?? undefined,
  });
  /** `{ name }` of each id, a few seconds old; `{}` where it is not known. */
  return async ({ readKept }: Pick<Sources, "readKept">, of: readonly Pick<Row, "id">[]) => {
    const found = await Promise.all(of.map(async ({ id }) => readKept(names, [id])));
    return found.map((name) => (name === undefined ? {} : { name }));
  };
}

function filesOf<B extends TObject, R extends Row>(
  parts: Parts<B, R>,
  { many, idField, idColumn, select, join }: Shape,
) {
  const { fields, requiredColumns, isOfStore } = parts;
  const names = [idField, ...Object.keys(fields)];
  const files: EventFiles<Event & { readonly values: readonly unknown[] }> = {
    rows: {
      table: many,
      columns: [],
      selectFrom: (table) => `${select} ${table} ${join}`,
      eventOf: (values) => ({ id: "", values }),
    },
    fields: Object.fromEntries(names.map((name, at) => [name, ({ values }) => values[at]])),
    order: `${idColumn}, valid_from`,
    filters: isOfStore === true ? { store: numberFilter(`${idColumn} = ?`, "--store", ids) } : {},
    ...(requiredColumns && { requiredColumns }),
    isConfiguration: true,
  };
  return files;
}

/** Without the fields that are null. */
export const present = (row: Fields): Fields =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
