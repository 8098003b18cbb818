import { expect, test, vi } from "vitest";
import { openStream } from "./kit/fronts.ts";
import { batchOf, openPublisher, poisonSale } from "./kit/publish.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { bearer, createKey } from "./kit/tally.ts";

/* Dead letters over HTTP. */

const system = await startSystem({ AUTH: "required" });
const database = openDatabase(system);
const send = await openPublisher(system);
const keyOf = async (...scopes: readonly string[]) => bearer((await createKey(system, "--scope", ...scopes)).key);
const reader = await keyOf("*:read");
const waited = { timeout: 20_000 };
const at = (path: string, headers: Readonly<Record<string, string>> = reader) =>
  fetch(`${system.url}${path}`, { headers });

/** An event that the database rejects: the 30th of February. Resolves when it is a dead letter. */
async function deadLetter(): Promise<string> {
  const event = poisonSale(61);
  await send(batchOf([event]));
  await vi.waitFor(async () => expect((await at(`/dead-letters/${event.id}`)).status).toBe(200), waited);
  return event.id;
}

test("what was rejected and why: the list has the newest first, a letter its event", async () => {
  const [first, second] = [await deadLetter(), await deadLetter()];
  const list = await (await at("/dead-letters?domain=purchases&stage=event&state=open&limit=2")).json();
  expect(list).toEqual({
    deadLetters: [second, first].map((id) => ({
      id,
      domain: "purchases",
      stage: "event",
      state: "open",
      queue: expect.stringContaining("ingest"),
      messageId: "",
      reason: expect.stringMatching(/date/i),
      diedAt: expect.stringMatching(/^20.*Z$/),
    })),
  });
  expect(await (await at(`/dead-letters/${second}`)).json()).toMatchObject({
    id: second,
    event: { id: second, storeId: 61, date: 20260230 },
    bytes: expect.any(Number),
  });
});

test("an open list shows within a moment that a letter was settled", async () => {
  const id = await deadLetter();
  const stream = await openStream(system.url, ["/dead-letters?state=open"], reader);
  const isListed = () => JSON.stringify(stream.latest(0)?.body).includes(id);
  await vi.waitFor(() => expect(isListed()).toBe(true), waited);
  await database.transaction((transaction) => transaction.execute("UPDATE dead_letters SET state = 'discarded'"));
  await vi.waitFor(() => expect(isListed()).toBe(false), waited);
  stream.close();
});

test("a key needs the scope read of the letter's domain, and no limit to stores", async () => {
  const id = await deadLetter();
  const stores = bearer((await createKey(system, "--scope", "*:read", "--store", "61")).key);
  const steps = await keyOf("steps:read");
  for (const path of ["/dead-letters", "/dead-letters?domain=purchases"]) {
    expect([path, (await at(path, steps)).status]).toEqual([path, 403]);
  }
  for (const path of [`/dead-letters/${id}`, "/dead-letters", "/dead-letters?domain=purchases"]) {
    expect([path, (await at(path, stores)).status]).toEqual([path, 403]);
  }
  expect((await at(`/dead-letters/${id}`, {})).status).toBe(401);
  expect((await at("/dead-letters?domain=steps", steps)).status).toBe(200);
});

test("a letter of a domain that a key may not read is as unknown as none", async () => {
  const others = await keyOf("steps:read", "steps:write");
  const refused = [404, '{"message":"id: expected the id of a dead letter, got \\"ID\\""}'];
  for (const id of [await deadLetter(), "01a1fb30-2980-71ee-89cd-4f71757df440"]) {
    for (const path of [`/dead-letters/${id}`, `/live?watch=/dead-letters/${id}`]) {
      const response = await at(path, others);
      expect([response.status, (await response.text()).replaceAll(id, "ID")]).toEqual(refused);
    }
  }
});
