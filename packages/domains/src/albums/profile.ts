import { InvalidInput, parsedJson } from "@tally/contract";
import { isStorable } from "../values.ts";
import { textCharactersMax, type AlbumEvent } from "./event.ts";

export type Profile = Pick<AlbumEvent, "artist" | "title" | "year">;

const names = ["artist", "title", "year"] as const;
export const expectedProfile =
  'JSON {"artist", "title", "year"}, or "class AlbumsProfile {\\n    artist: …\\n    title: …\\n    year: …\\n}"';
const expectedText = `a text of at most ${textCharactersMax} characters, none of them U+0000`;

/** Reads the part `profile` in either of its forms. Throws InvalidInput. */
export function parseProfile(text: string): Profile {
  const trimmed = text.trim();
  const values = trimmed.startsWith("{") ? valuesOfJson(trimmed) : valuesOfClass(trimmed.replaceAll("\r\n", "\n"));
  return { artist: textOf("artist", values), title: textOf("title", values), year: textOf("year", values) };
}

type Values = Readonly<Partial<Record<string, unknown>>>;

function valuesOfJson(text: string): Values {
  const value = parsedJson(text);
  if (typeof value === "object" && value !== null) return { ...value };
  throw new InvalidInput("profile", expectedProfile, text.slice(0, 60));
}

// The form of generated Java clients: one line for each field, and a newline in a value is followed by four spaces.
// Each mark is searched once, from the front: a regular expression with three open ends takes a minute for a hostile
// text.
function valuesOfClass(text: string): Values {
  const marks = ["\n    artist: ", "\n    title: ", "\n    year: ", "\n}"];
  const places: number[] = [];
  for (const mark of marks) places.push(text.indexOf(mark, places.at(-1) ?? 0));
  const isWhole = /^class \w{1,100} \{\n/.test(text) && places.every((place) => place >= 0);
  if (!isWhole) throw new InvalidInput("profile", expectedProfile, text.slice(0, 60));
  return Object.fromEntries(
    names.map((name, index) => {
      const value = text.slice((places[index] ?? 0) + (marks[index]?.length ?? 0), places[index + 1]);
      // A copy: a slice keeps the whole text in memory, as long as the album can be found before its row.
      return [name, structuredClone(value.replaceAll("\n    ", "\n"))];
    }),
  );
}

function textOf(name: (typeof names)[number], values: Values): string {
  const value = values[name];
  // Some clients send the year as a number. JSON.parse makes Infinity of 1e999.
  const text = typeof value === "number" && Number.isFinite(value) ? String(value) : value;
  const isText = typeof text === "string" && isStorable(text) && Array.from(text).length <= textCharactersMax;
  if (isText) return text;
  const shown = typeof value === "string" && value.length > 60 ? `${value.slice(0, 57)}...` : value;
  throw new InvalidInput(`profile.${name}`, expectedText, shown);
}
