import { isDeepStrictEqual } from "node:util";
import { objectOf, type Answer } from "./answers.ts";
import type { StoredContent } from "./stored-content.ts";
import type { Stored } from "./stored-rows.ts";

/** An event that a 2xx has acknowledged. */
interface Acknowledged {
  readonly id: string;
  /** Which request, for a person. */
  readonly by: string;
  /** What the request said; undefined where the test cannot tell. */
  readonly content: StoredContent | undefined;
}

/** The ids of the events that a response acknowledges, with the place of each entry in its request. */
export function idsOf(answer: Answer): readonly { readonly id: string; readonly index: number }[] {
  if (answer.status < 200 || answer.status > 299) return [];
  const id = answer.headers.get("tally-event-id");
  if (id !== undefined) return [{ id, index: 0 }];
  const results = objectOf(answer)?.["results"];
  if (!Array.isArray(results)) return [];
  return results.flatMap((result: unknown, index) => {
    if (typeof result !== "object" || result === null || !("id" in result) || typeof result.id !== "string") return [];
    return [{ id: result.id, index }];
  });
}

/** Keeps what was acknowledged, and compares it with what is stored. Knows nothing of the product but its tables. */
export class Acknowledgements {
  readonly #all: Acknowledged[] = [];

  add(acknowledged: Acknowledged): void {
    this.#all.push(acknowledged);
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#all.map(({ id }) => id));
  }

  /** How many contents can be compared with their rows. */
  get comparable(): number {
    return this.#all.filter(({ content }) => content !== undefined).length;
  }

  get size(): number {
    return this.#all.length;
  }

  /** The acknowledged ids that are in no row and no dead letter. */
  missing({ rows, letters }: Stored): readonly string[] {
    const found = new Set([...rows, ...letters].map(({ id }) => id));
    return this.#all.filter(({ id }) => !found.has(id)).map(({ id, by }) => `${id} of ${by} is not stored`);
  }

  /** Every difference between what was acknowledged and what is stored, a sentence for each; none while the promise is kept. */
  differences(stored: Stored): readonly string[] {
    const rows = Map.groupBy(stored.rows, ({ id }) => id);
    const letters = new Map(stored.letters.map((letter) => [letter.id, letter]));
    const { ids } = this;
    return [
      ...this.missing(stored),
      ...this.#all.flatMap(({ id, by, content }) => {
        const [first] = rows.get(id) ?? [];
        if (content === undefined || first === undefined || letters.has(id)) return [];
        if (isDeepStrictEqual(first.content, content)) return [];
        return [`${by} said ${JSON.stringify(content)}, and ${id} holds ${JSON.stringify(first.content)}`];
      }),
      ...Array.from(rows.values(), (same) => same)
        .filter((same) => same.length > 1)
        .map((same) => `${same[0]?.id} is stored ${same.length} times`),
      ...[...rows.values()]
        .flat()
        .filter(({ id }) => !ids.has(id))
        .map(({ id, content }) => `${id} is stored without a 2xx: ${JSON.stringify(content)}`),
      ...stored.letters
        .filter(({ id }) => !ids.has(id))
        .map(({ id, domain, reason }) => `the dead letter ${id} of ${domain} has no 2xx: ${reason}`),
    ];
  }
}
