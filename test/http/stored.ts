import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Database } from "@tally/database";
import { expect, vi } from "vitest";
import { objectOf, type HttpResponse } from "./raw-connection.ts";
import { image } from "./requests.ts";

/* What was acknowledged, and what is stored. Both are read without the product's code: from responses and by SQL. */

/** What an event contains, without its id; the same shape whether it was read from a request or from the rows. */
export interface StoredContent {
  readonly kind: string;
}

const fingerprint = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const contentOf =
  <C extends object>(kind: string, contents: (n: number) => C) =>
  (n: number, more: Partial<C> = {}): C & StoredContent => ({ kind, ...contents(n), ...more });

// What the requests of requests.ts store.
const oneItem: readonly (readonly [item: number, count: number])[] = [[85571, 3]];
export const sale = contentOf("purchase", (store) => ({ store, customer: 1, date: "20261120", items: oneItem }));
export const swipe = contentOf("swipe", (swiper) => ({ swiper, swipee: 2, liked: 0, comment: "hello" }));
const ofRide = { resort: "silverMt", season: 0, day: 1, minute: 408, lift: 27 };
/** `skier`: null where the client named none. */
export const ride = contentOf("ride", (skier: number | null) => ({ ...ofRide, skier }));
export const steps = contentOf("steps", (user) => ({ user, day: 3, hour: 14, steps: 250 }));
const fromForm = { artist: "A", year: "2000", image: fingerprint(image) };
export const album = contentOf("album", (n) => ({ ...fromForm, title: `T${n}` }));

const selects = [
  `SELECT HEX(id) AS id, 'purchase' AS kind, store_id AS store, customer_id AS customer,
    DATE_FORMAT(purchased_on, '%Y%m%d') AS date, CAST(items AS CHAR) AS items FROM purchases`,
  "SELECT HEX(id) AS id, 'swipe' AS kind, swiper, swipee, liked, comment FROM swipes",
  `SELECT HEX(id) AS id, 'ride' AS kind, resort, season, day, skier_id AS skier, minute, lift_id AS lift
    FROM lift_rides`,
  "SELECT HEX(id) AS id, 'steps' AS kind, user_id AS user, day, hour, steps FROM steps",
  "SELECT HEX(id) AS id, 'album' AS kind, artist, title, year FROM albums",
  "SELECT HEX(id) AS id, 'review' AS kind, HEX(album_id) AS album, liked FROM album_reviews",
];
const selectImages = "SELECT HEX(album_id) AS id, bytes FROM album_images ORDER BY album_id, part";
const selectLetters = "SELECT HEX(id) AS id, domain, reason FROM dead_letters";

type Stored = Awaited<ReturnType<typeof readStored>>;

const uuidOf = (hex: string): string =>
  hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Reads every row of every domain and every dead letter at the write endpoint. */
async function readStored({ writer }: Database) {
  const parts = await writer.query<{ id: string; bytes: Buffer }>(selectImages);
  const images = Map.groupBy(parts, ({ id }) => id);
  const rows: { id: string; content: object }[] = [];
  for (const select of selects) {
    for (const { id, ...content } of await writer.query<{ id: string; kind: string; items?: string; album?: string }>(
      select,
    )) {
      const own = content.kind === "album" && Buffer.concat((images.get(id) ?? []).map(({ bytes }) => bytes));
      const read = {
        ...content,
        ...(content.items !== undefined && { items: JSON.parse(content.items) }),
        ...(content.album !== undefined && { album: uuidOf(content.album) }),
        ...(own && { image: fingerprint(own) }),
      };
      rows.push({ id: uuidOf(id), content: read });
    }
  }
  const letters = await writer.query<{ id: string; domain: string; reason: string }>(selectLetters);
  return { rows, letters: letters.map(({ id, domain, reason }) => ({ id: uuidOf(id), domain, reason })) };
}

/** The ids of the events that a response acknowledges, with the place of each entry in its request. */
export function idsOf(response: HttpResponse): readonly { readonly id: string; readonly index: number }[] {
  if (response.status < 200 || response.status > 299) return [];
  const only = response.headers.get("tally-event-id");
  if (only !== undefined) return [{ id: only, index: 0 }];
  return resultsOf(response).flatMap(({ id }, index) => (id === undefined ? [] : [{ id, index }]));
}

/** The result of each entry of a bulk response; empty for any other response. */
export function resultsOf(response: HttpResponse): readonly { readonly status?: number; readonly id?: string }[] {
  const results = objectOf(response)?.["results"];
  return Array.isArray(results) ? results : [];
}

interface Acknowledged {
  readonly id: string;
  /** Names the request in failures. */
  readonly by: string;
  /** What the request contained; undefined where the test does not know. */
  readonly content: StoredContent | undefined;
}

/** Keeps what was acknowledged, and compares it with what is stored. */
export class Acknowledgements {
  readonly #all: Acknowledged[] = [];

  add(acknowledged: Acknowledged): void {
    this.#all.push(acknowledged);
  }

  /** Adds what a response acknowledges. Returns the response. */
  record<T extends HttpResponse>(response: T, by: string, contents: readonly (StoredContent | undefined)[] = []): T {
    for (const { id, index } of idsOf(response)) this.add({ id, by, content: contents[index] });
    return response;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#all.map(({ id }) => id));
  }

  /** Every difference between what was acknowledged and what is stored, one text for each. */
  differences(stored: Stored): readonly string[] {
    const contents = new Map(stored.rows.map(({ id, content }) => [id, content]));
    const { ids } = this;
    const kept = new Set([...contents.keys(), ...stored.letters.map(({ id }) => id)]);
    return [
      ...this.#all.filter(({ id }) => !kept.has(id)).map(({ id, by }) => `${id} of ${by} is not stored`),
      ...this.#all
        .filter(({ id, content }) => content !== undefined && !isDeepStrictEqual({ ...contents.get(id) }, content))
        .map(({ id, by, content }) => `${by} sent ${textOf(content)}, and ${id} holds ${textOf(contents.get(id))}`),
      ...(contents.size === stored.rows.length ? [] : [`${stored.rows.length} rows have ${contents.size} ids`]),
      ...stored.rows
        .filter(({ id }) => !ids.has(id))
        .map(({ id, content }) => `${id} is stored without a 2xx: ${textOf(content)}`),
      // The database accepts what a gateway accepts.
      ...stored.letters.map(({ id, domain, reason }) => `${id} of ${domain} is a dead letter: ${reason}`),
    ];
  }
}

const textOf = (content: object | undefined): string => JSON.stringify(content);

const shownMax = 60;

/** Waits until everything acknowledged is stored as it was sent, and nothing else is. */
export function expectPromiseKept(database: Database, acknowledgements: Acknowledgements): Promise<void> {
  return vi.waitFor(async () => expectNone(acknowledgements.differences(await readStored(database))), {
    timeout: 60_000,
    interval: 250,
  });
}

/** Fails with the first of the faults that were found. */
export function expectNone(found: readonly string[]): void {
  expect({ count: found.length, first: found.toSorted().slice(0, shownMax) }).toEqual({ count: 0, first: [] });
}
