import { InvalidInput, keyedRead, type SqlTransaction } from "@tally/contract";
import { Type } from "typebox";
import type { Row } from "../register.ts";
import { parseCalendarDate } from "./calendar-date.ts";

/** What a store or an item has from a day on, until its next version. */
export interface Version {
  readonly id: number;
  /** yyyymmdd */
  readonly validFrom: number;
  readonly value: string;
}

interface Parts<R extends Row> {
  readonly one: "store" | "item";
  readonly table: string;
  readonly field: string;
  readonly todayOf: (row: R) => number;
}

// The first calendar date of the API.
const beginning = 10_000_101;

/** A field of a register. Each of its values is valid from a day on, and is a row of `table`. */
export function versions<R extends Row>({ one, table, field, todayOf }: Parts<R>) {
  const select = `SELECT ${one}_id AS id, valid_from AS validFrom, ${field} AS value FROM ${table}`;
  const upsert = `INSERT INTO ${table} (${one}_id, valid_from, ${field}) VALUES ? ON DUPLICATE KEY UPDATE ${field} = VALUES(${field})`;
  return {
    table,
    select,
    fields: { [field]: `version.${field}`, validFrom: "CAST(valid_from AS CHAR)" },
    shown: { [field]: Type.Optional(Type.String()), validFrom: Type.Optional(Type.String()) },
    parse(value: string | undefined, from: string | number | undefined): Row["version"] {
      if (from !== undefined && value === undefined)
        throw new InvalidInput(field, `a ${field} beside validFrom`, undefined);
      return { value, validFrom: from === undefined ? undefined : parseCalendarDate("validFrom", String(from)) };
    },
    /** A value without a day is valid from today on. It is not written if it is today's value already. */
    async write(transaction: SqlTransaction, rows: readonly R[]): Promise<void> {
      const ids = rows.flatMap(({ id, version }) => (version.value === undefined ? [] : [id]));
      if (ids.length === 0) return;
      const stored = await transaction.query<Version>(`${select} WHERE ${one}_id IN (?) ORDER BY valid_from`, [ids]);
      const known = Map.groupBy(stored, ({ id }) => id);
      const added = rows.flatMap((row) => {
        const [{ id }, { value, validFrom }] = [row, row.version];
        if (value === undefined) return [];
        const own = known.getOrInsert(id, []);
        const from = validFrom ?? (own.length === 0 ? beginning : todayOf(row));
        if (validFrom === undefined && own.findLast((version) => version.validFrom <= from)?.value === value) return [];
        // The next row may be of the same id.
        own.push({ id, validFrom: from, value });
        own.sort((a, b) => a.validFrom - b.validFrom);
        return [[id, from, value]];
      });
      if (added.length > 0) await transaction.upsert(upsert, added);
    },
    /** The values of all ids on a day. The key has no day, so that memory keeps the rows once. */
    onDay: keyedRead({
      select: `${select} ORDER BY ${one}_id, valid_from`,
      values: () => [],
      ofRows: (rows: readonly Version[]) => (day: number) =>
        new Map(rows.flatMap(({ id, validFrom, value }) => (validFrom <= day ? [[id, value] as const] : []))),
    }),
  };
}
