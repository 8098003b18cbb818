/** What the gateway says of one entry of a bulk request. */
export type EntryResult =
  | { readonly status: 201; readonly id: string }
  | { readonly status: number; readonly error: string };

/**
 * The results in the body of a response to `count` entries, in their order. undefined: the body is anything else, for
 * example the page of a proxy, so it says nothing about the entries.
 */
export function resultsOf(body: string, count: number): readonly EntryResult[] | undefined {
  const results = fieldOf(parsed(body), "results");
  if (!Array.isArray(results) || results.length !== count) return undefined;
  const read = results.map((one: unknown, index) => (fieldOf(one, "index") === index ? resultOf(one) : undefined));
  const known = read.filter((one) => one !== undefined);
  return known.length === count ? known : undefined;
}

/** The sentence in the error body of a gateway. Some domains name it `msg`. */
export function messageOf(body: string): string | undefined {
  const json = parsed(body);
  const message = fieldOf(json, "message") ?? fieldOf(json, "msg");
  return typeof message === "string" ? message : undefined;
}

function resultOf(entry: unknown): EntryResult | undefined {
  const [status, id, error] = ["status", "id", "error"].map((name) => fieldOf(entry, name));
  if (typeof status !== "number") return undefined;
  if (status === 201) return typeof id === "string" ? { status, id } : undefined;
  return typeof error === "string" ? { status, error } : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON, so not from a gateway.
    return undefined;
  }
}
