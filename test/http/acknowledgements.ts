import { isDeepStrictEqual } from "node:util";
import { objectOf, type HttpResponse } from "./read-responses.ts";
import type { StoredContent } from "./stored-content.ts";
import type { Stored } from "./stored-rows.ts";

/** An event that a 2xx has acknowledged. */
interface Acknowledged {
  readonly id: string;
  /** Names the request in failures. */
  readonly by: string;
  /** What the request contained; undefined where the test does not know. */
  readonly content: StoredContent | undefined;
}

/** The ids of the events that a response acknowledges, with the place of each entry in its request. */
export function idsOf(response: HttpResponse): readonly { readonly id: string; readonly index: number }[] {
  if (response.status < 200 || response.status > 299) return [];
  const only = response.headers.get("tally-event-id");
  if (only !== undefined) return [{ id: only, index: 0 }];
  return resultsOf(response).flatMap(({ id }, index) => (id === undefined ? [] : [{ id, index }]));
}

/** The result of each entry of a bulk response; empty for any other response. */
export function resultsOf(
  response: HttpResponse,
): readonly { readonly status: number; readonly id: string | undefined }[] {
  const results = objectOf(response)?.["results"];
  if (!Array.isArray(results)) return [];
  return results.map((result: unknown) => {
    const isObject = typeof result === "object" && result !== null;
    const status = isObject && "status" in result ? Number(result.status) : Number.NaN;
    return { status, id: isObject && "id" in result && typeof result.id === "string" ? result.id : undefined };
  });
}

/** Keeps what was acknowledged, and compares it with what is stored. Of the product it uses the tables only. */
export class Acknowledgements {
  readonly #all: Acknowledged[] = [];

  add(acknowledged: Acknowledged): void {
    this.#all.push(acknowledged);
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#all.map(({ id }) => id));
  }

  get size(): number {
    return this.#all.length;
  }

  /** The acknowledged ids that are in no row and no dead letter. */
  missing({ rows, letters }: Stored): readonly string[] {
    const found = new Set([...rows, ...letters].map(({ id }) => id));
    return this.#all.filter(({ id }) => !found.has(id)).map(({ id, by }) => `${id} of ${by} is not stored`);
  }

  /** How many events of each kind were acknowledged and can be compared with their rows. */
  get kinds(): Readonly<Record<string, number>> {
    const kinds: Record<string, number> = {};
    for (const { content } of this.#all)
      if (content !== undefined) kinds[content.kind] = (kinds[content.kind] ?? 0) + 1;
    return kinds;
  }

  /** Every difference between what was acknowledged and what is stored, one text for each. */
  differences(stored: Stored): readonly string[] {
    const rows = Map.groupBy(stored.rows, ({ id }) => id);
    const { ids } = this;
    const all = [...rows.values()];
    return [
      ...this.missing(stored),
      ...this.#otherContents(stored),
      ...all.filter((same) => same.length > 1).map((same) => `${same[0]?.id} is stored ${same.length} times`),
      ...all
        .flat()
        .filter(({ id }) => !ids.has(id))
        .map(({ id, content }) => `${id} is stored without a 2xx: ${JSON.stringify(content)}`),
      ...stored.letters
        .filter(({ id }) => !ids.has(id))
        .map(({ id, domain, reason }) => `the dead letter ${id} of ${domain} has no 2xx: ${reason}`),
    ];
  }

  // A dead letter beside a row may hold the other content; the row must still equal one of its requests.
  #otherContents({ rows, letters }: Stored): readonly string[] {
    const contents = new Map(rows.map(({ id, content }) => [id, content]));
    const dead = new Set(letters.map(({ id }) => id));
    const isStored = ({ id, content }: Acknowledged): boolean => isDeepStrictEqual(contents.get(id), content);
    const kept = new Set(this.#all.filter(isStored).map(({ id }) => id));
    return this.#all
      .filter((one) => one.content !== undefined && contents.has(one.id) && !isStored(one))
      .filter(({ id }) => !(dead.has(id) && kept.has(id)))
      .map(
        ({ id, by, content }) =>
          `${by} sent ${JSON.stringify(content)}, and ${id} holds ${JSON.stringify(contents.get(id))}`,
      );
  }
}
