import { expect, test } from "vitest";
import { openStream } from "./kit/fronts.ts";
import { startOperated } from "./kit/operators.ts";
import { batchOf, openPublisher, poisonSale } from "./kit/publish.ts";
import { expectJson } from "./kit/sales.ts";
import { openDatabase } from "./kit/system.ts";

/* Dead letters and the page, over HTTP. */

const { system, keyOf, operator, reader, at } = await startOperated();
const database = openDatabase(system);
const send = await openPublisher(system);
const post = (path: string, headers: Readonly<Record<string, string>>, gateway = 0) =>
  at(path, { method: "POST", headers }, gateway);

/** An event that the database rejects: the 30th of February. Resolves when it is a dead letter. */
async function deadLetter(): Promise<string> {
  const event = poisonSale(61);
  await send(batchOf([event]));
  await expect.poll(async () => (await at(`/dead-letters/${event.id}`)).status).toBe(200);
  return event.id;
}

test("what was rejected and why: the list has the newest first, a letter its event", async () => {
  const [first, second] = [await deadLetter(), await deadLetter()];
  const list = await (await at("/dead-letters?domain=purchases&stage=rejected&state=open&limit=2")).json();
  expect(list).toEqual({
    deadLetters: [second, first].map((id) => ({
      id,
      domain: "purchases",
      stage: "rejected",
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

test("discard and replay change the state, as often as they are sent, and an open list shows it", async () => {
  const id = await deadLetter();
  const stream = await openStream(system.urls[0] ?? "", ["/dead-letters?state=open", "/status"], operator);
  const isListed = () => JSON.stringify(stream.latest(0)?.body).includes(id);
  await expect.poll(() => isListed()).toBe(true);
  const discarded = expect.objectContaining({ id, state: "discarded" });
  for (let n = 0; n < 2; n++) await expectJson(await post(`/dead-letters/${id}/discard`, operator), 200, discarded);
  await expect.poll(() => isListed()).toBe(false);
  stream.close();

  // Repaired by hand: now the database accepts it.
  await database.transaction((transaction) =>
    transaction.execute("UPDATE dead_letters SET body = REPLACE(body, '20260230', '20260228') WHERE HEX(id) = ?", [
      id.replaceAll("-", "").toUpperCase(),
    ]),
  );
  const replayed = expect.objectContaining({ state: "replayed" });
  await expectJson(await post(`/dead-letters/${id}/replay`, operator), 200, replayed);
  await expect.poll(async () => (await at(`/events/${id}`)).json()).toMatchObject({ stored: true });
});

test("changes need the scope operate of the letter's domain and an operator's account, reading its scope read", async () => {
  const id = await deadLetter();
  const stores = await keyOf("*:read", "*:operate", "--store", "61");
  for (const [headers, message] of [
    [reader, "expected an API key with the scope purchases:operate"],
    [stores, "expected an API key for all stores, got one that is limited to some"],
  ] as const) {
    for (const action of ["replay", "discard"])
      await expectJson(await post(`/dead-letters/${id}/${action}`, headers), 403, { message });
  }
  expect((await post(`/dead-letters/${id}/replay`, {})).status).toBe(401);
  const steps = await keyOf("steps:read");
  for (const path of ["/dead-letters", "/dead-letters?domain=purchases"]) {
    expect([path, (await at(path, { headers: steps })).status]).toEqual([path, 403]);
  }
  for (const path of [`/dead-letters/${id}`, "/dead-letters", "/dead-letters?domain=purchases"]) {
    expect([path, (await at(path, { headers: stores })).status]).toEqual([path, 403]);
  }
  expect((await at("/dead-letters?domain=steps", { headers: steps })).status).toBe(200);
  expect((await at(`/dead-letters/${id}`, { headers: operator }, 1)).status).toBe(200);
  await expectJson(await post(`/dead-letters/${id}/discard`, operator, 1), 403, {
    message: "this gateway changes no dead letters: set OPERATOR_DATABASE_URL, or use pnpm tally dead-letters",
  });
  expect(await (await at(`/dead-letters/${id}`)).json()).toMatchObject({ state: "open" });
});

test("a letter of a domain that a key may neither read nor operate is as unknown as none", async () => {
  const [known, unknown] = [await deadLetter(), "01a1fb30-2980-71ee-89cd-4f71757df440"];
  const others = await keyOf("steps:read", "steps:write", "steps:operate");
  const responses = async (id: string) =>
    Promise.all(
      [
        await at(`/dead-letters/${id}`, { headers: others }),
        await at(`/live?watch=/dead-letters/${id}`, { headers: others }),
        await post(`/dead-letters/${id}/discard`, others),
        await post(`/dead-letters/${id}/replay`, others, 1),
      ].map(async (response) => [response.status, (await response.text()).replaceAll(id, "ID")]),
    );
  const refused = [404, '{"message":"id: expected the id of a dead letter, got \\"ID\\""}'];
  expect(await responses(known)).toEqual([refused, refused, refused, refused]);
  expect(await responses(unknown)).toEqual([refused, refused, refused, refused]);
  expect(await (await at(`/dead-letters/${known}`)).json()).toMatchObject({ state: "open" });
  // Without the right to read it: a key that may operate it knows of it.
  const operates = await keyOf("purchases:operate");
  expect((await at(`/dead-letters/${known}`, { headers: operates })).status).toBe(403);
  expect((await post(`/dead-letters/${known}/discard`, operates)).status).toBe(200);
});
