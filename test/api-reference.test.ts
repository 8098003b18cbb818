import { readFileSync } from "node:fs";
import Schema from "typebox/schema";
import { expect, test, vi } from "vitest";
import { exampleRequests, type ExampleRequest, referenceOf } from "./http/reference.ts";
import { startSystem } from "./kit/system.ts";

/*
 * Every example of the API reference works as written: it gets the status, the headers and the body that the reference
 * shows.
 */

const system = await startSystem();

const requests = exampleRequests(await referenceOf(system.url));
const events = requests.filter(({ method }) => method === "POST");
const reads = requests.filter(({ method }) => method === "GET");

const send = ({ path, method, headers, body }: ExampleRequest) =>
  fetch(system.url + path, { method, headers, ...(body === undefined ? {} : { body }) });

/** Compares a response with the document: status, headers, type, schema, and the example, if there is one. */
async function expectDocumented(request: ExampleRequest, response: Response): Promise<void> {
  const { example, status, response: documented } = request;
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  expect({ status: String(response.status), text }).toEqual({ status, text });
  for (const [name, { required, schema, examples }] of Object.entries(documented.headers ?? {})) {
    const value = response.headers.get(name);
    if (required === true) expect([name, value]).toEqual([name, expect.any(String)]);
    if (value !== null) expectValid(schema, value);
    if (examples?.[example] !== undefined) expect([name, value]).toEqual([name, examples[example].value]);
  }
  if (documented.content === undefined) return expect(text).toBe("");
  const type = response.headers.get("content-type")?.split(";", 1).join("") ?? "";
  expect(Object.keys(documented.content)).toContain(type);
  const { schema, examples } = documented.content[type] ?? { schema: {} };
  const isText = Reflect.get(schema, "type") === "string";
  const body: unknown = isText ? text : JSON.parse(text);
  expectValid(schema, body);
  const shown = examples?.[example];
  if (shown !== undefined) expect(withoutTimes(body)).toEqual(withoutTimes(shown.value));
}

function expectValid(schema: object, value: unknown): void {
  const [isValid, errors] = Schema.Errors(schema, value);
  expect({ value, isValid, errors }).toEqual({ value, isValid: true, errors: [] });
}

/** Times, and times at the ends of ids, differ from run to run. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"/g, '"a time"')
    .replaceAll(/("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[0-9a-z]{8,9}"/g, '$1.a time"');
  return JSON.parse(text);
}

async function idsIn(response: Response): Promise<readonly string[]> {
  const id = response.headers.get("tally-event-id");
  if (id !== null) return [id];
  const body: unknown = await response.json();
  return Array.from(JSON.stringify(body).matchAll(/"id":"([0-9a-f-]{36})"/g), ([, found = ""]) => found);
}

test("the served reference is docs/openapi.json", async () => {
  const written: unknown = JSON.parse(readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8"));
  expect(await (await fetch(`${system.url}/openapi.json`)).json()).toEqual(written);
});

test("every example says which success it gets", () => {
  expect(requests.length).toBeGreaterThan(30);
  for (const { name, status } of requests) expect([name, status]).toEqual([name, expect.stringMatching(/^20[01]$/)]);
});

// In the order of the document, each after the one before is ranked: a review needs its album.
test.each(events.map((request) => [request.name, request] as const))("%s", async (_, request) => {
  const response = await send(request);
  await expectDocumented(request, response.clone());
  for (const id of await idsIn(response)) {
    await vi.waitFor(
      async () => expect(await (await fetch(`${system.url}/events/${id}`)).json()).toMatchObject({ ranked: true }),
      { timeout: 20_000, interval: 50 },
    );
  }
});

// The read endpoint may be behind.
test.each(reads.map((request) => [request.name, request] as const))("%s", (_, request) =>
  vi.waitFor(async () => expectDocumented(request, await send(request)), { timeout: 20_000, interval: 100 }),
);
