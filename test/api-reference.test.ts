import { expect, test, vi } from "vitest";
import { referenceOf, type Content, type Operation } from "./http/reference.ts";
import { untilRanked } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";

/* Every example of the API reference works as written: it gets the status and the body that the reference shows. */

type Example = ReturnType<typeof examplesOf>[number];

const system = await startSystem({ CURRENCY: "EUR" });
const { paths } = await referenceOf(system.url);
const examples = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) => examplesOf(method.toUpperCase(), path, operation)),
);
const posts = examples.filter(({ method }) => method !== "GET");
const reads = examples.filter(({ method }) => method === "GET");

/** Each named example of an operation, with each media type of its body. */
function examplesOf(method: string, path: string, operation: Operation) {
  const { parameters = [], requestBody, responses } = operation;
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const all = [...parameters, ...Object.values(requestBody?.content ?? {})];
  const named = new Set(all.flatMap((one) => Object.keys(one.examples ?? {})));
  // Without examples it has no values, or needs something that no example brings, such as a dead letter.
  const names = named.size > 0 ? [...named] : parameters.length === 0 && method === "GET" ? [""] : [];
  return names.flatMap((example) => {
    const valuesOf = (place: string): [string, string][] =>
      parameters.flatMap((one): [string, string][] => {
        const value = one.examples?.[example]?.value;
        const isGiven = one.in === place && (typeof value === "string" || typeof value === "number");
        return isGiven ? [[one.name, `${value}`]] : [];
      });
    const inPath = new Map(valuesOf("path"));
    const query = new URLSearchParams(valuesOf("query")).toString();
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ""));
    const shownIn = ([, { content = {} }]: (typeof successes)[number]) =>
      Object.values(content).find((one) => one.examples?.[example] !== undefined)?.examples?.[example]?.value;
    const success = successes.find((one) => shownIn(one) !== undefined) ?? successes[0];
    return bodiesOf(requestBody?.content, example).map(({ type, body }) => ({
      name: `${method} ${path}: ${[example, type].filter((text) => text !== "").join(", as ")}`,
      method,
      path: query === "" ? filled : `${filled}?${query}`,
      // The boundary of a form belongs to its type.
      headers: { ...Object.fromEntries(valuesOf("header")), ...(typeof body === "string" && { "content-type": type }) },
      body,
      status: success?.[0] ?? "",
      /** What the reference shows as the response; undefined: nothing. */
      shown: success && shownIn(success),
    }));
  });
}

function bodiesOf(content: Content | undefined, example: string) {
  if (content === undefined) return [{ type: "", body: undefined }];
  return Object.entries(content).map(([type, one]) => {
    const value = one.examples?.[example]?.value;
    if (type === "multipart/form-data") return { type, body: formOf(Object(value)) };
    return { type, body: typeof value === "string" ? value : JSON.stringify(value) };
  });
}

/** Texts become files of these bytes, objects become JSON. */
function formOf(parts: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === "string") form.append(name, new Blob([value]), name);
    else form.append(name, JSON.stringify(value));
  }
  return form;
}

async function expectShown({ path, method, headers, body, status, shown }: Example): Promise<Response> {
  const response = await fetch(system.url + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.clone().text();
  expect({ status: String(response.status), text }).toEqual({ status, text });
  if (typeof shown === "object") expect(withoutTimes(JSON.parse(text))).toEqual(withoutTimes(shown));
  return response;
}

/** Times, and times at the ends of ids, differ from run to run. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"/g, '"a time"')
    .replaceAll(/("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[0-9a-z]{8,9}"/g, '$1.a time"');
  return JSON.parse(text);
}

test("the reference has examples, and each names its success", () => {
  expect(examples.length).toBeGreaterThan(30);
  for (const { name, status } of examples) expect([name, status]).toEqual([name, expect.stringMatching(/^20[01]$/)]);
});

// In the order of the document, each after the one before is ranked: a review needs its album.
test.each(posts.map((one) => [one.name, one] as const))("%s", async (_, one) => {
  const response = await expectShown(one);
  const header = response.headers.get("tally-event-id");
  const ids =
    header === null
      ? Array.from((await response.text()).matchAll(/"id":"([0-9a-f-]{36})"/g), ([, id]) => id)
      : [header];
  for (const id of ids) await untilRanked(system.url, id ?? "");
});

// The read endpoint may be behind.
test.each(reads.map((one) => [one.name, one] as const))("%s", (_, one) =>
  vi.waitFor(async () => void (await expectShown(one)), { timeout: 60_000, interval: 100 }),
);
