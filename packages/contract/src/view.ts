import { Type, type Static } from "typebox";

const ViewParameter = Type.Object({
  name: Type.String(),
  label: Type.String(),
  /** id: a whole number. date: yyyymmdd; with `choices` also these, or `from` and `to` instead. choice: a choice. */
  kind: Type.Enum(["id", "date", "text", "choice"]),
  /** Absent: may be left empty in the query, must be filled in in the path. */
  default: Type.Optional(Type.String()),
  /** The choice "all" of a date is left out of the query. */
  choices: Type.Optional(Type.Array(Type.String())),
});

const Column = Type.Object({ field: Type.String(), label: Type.String() });

/** A board as the live page shows it: plain data. A domain describes its own; the page knows none by name. */
export const View = Type.Object({
  /** Unique within its domain: lower case with dashes. */
  name: Type.String(),
  title: Type.String(),
  params: Type.Array(ViewParameter),
  /** "/stores/{storeID}/top-items?limit=10&date={date}". A parameter without a value is left out of the query. */
  path: Type.String(),
  /** The field of the response with the entries, best first. */
  list: Type.String(),
  member: Column,
  /** The field of an entry with the name of its member, where it has one. */
  memberName: Type.Optional(Type.String()),
  /** Its field may have the name of a parameter in braces, "{by}". A number, or an amount as decimal text. */
  count: Column,
  /** The path of an entry's picture, with fields of the entry in braces. */
  image: Type.Optional(Type.String()),
});
export type View = Static<typeof View>;
