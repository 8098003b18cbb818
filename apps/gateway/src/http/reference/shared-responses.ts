import { STATUS_CODES } from "node:http";

/** Error responses, each once: most routes have the same ones. Named by their status, as "BadRequest" and "BadRequest2". */
export class SharedResponses {
  readonly #names = new Map<string, string>();
  readonly #responses: Record<string, object> = {};

  /** A reference to the response. */
  refOf(status: number, response: object): { readonly $ref: string } {
    const text = JSON.stringify(response);
    const name = this.#names.get(text) ?? this.#newName(status);
    this.#names.set(text, name);
    this.#responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }

  /** By their names. */
  all(): Readonly<Record<string, object>> {
    return this.#responses;
  }

  #newName(status: number): string {
    const words = (STATUS_CODES[status] ?? String(status)).replaceAll(/\W/g, "");
    const count = Object.keys(this.#responses).filter((name) => name.replace(/\d+$/, "") === words).length;
    return count === 0 ? words : `${words}${count + 1}`;
  }
}
