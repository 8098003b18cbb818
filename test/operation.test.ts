import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tally/local/at-end";
import { expect, test } from "vitest";
import { openStream } from "./kit/fronts.ts";
import { postJson, sell } from "./kit/sales.ts";
import { batchOf, openPublisher, poisonSale } from "./kit/publish.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { bearer, createKey, runTally } from "./kit/tally.ts";

/* Dead letters, the page and the stores, over HTTP. The first gateway has an operator's account, the second has none. */

const system = await startSystem(
  { AUTH: "required" },
  {
    instances: { gateway: 2 },
    environmentOf: (app, index) => (app === "gateway" && index === 1 ? { OPERATOR_DATABASE_URL: "" } : {}),
  },
);
const database = openDatabase(system);
const send = await openPublisher(system);
const keyOf = async (...scopes: readonly string[]) => bearer((await createKey(system, "--scope", ...scopes)).key);
const operator = await keyOf("*:read", "*:operate");
const reader = await keyOf("*:read", "*:write");
const at = (path: string, init: RequestInit = { headers: operator }, gateway = 0) =>
  fetch(`${system.urls[gateway]}${path}`, init);
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

test("discard and replay change the state, as often as they are sent, and an open list shows it", async () => {
  const id = await deadLetter();
  const stream = await openStream(system.urls[0] ?? "", ["/dead-letters?state=open", "/status"], operator);
  const isListed = () => JSON.stringify(stream.latest(0)?.body).includes(id);
  await expect.poll(() => isListed()).toBe(true);
  for (let n = 0; n < 2; n++) {
    const response = await post(`/dead-letters/${id}/discard`, operator);
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ id, state: "discarded" }),
    ]);
  }
  await expect.poll(() => isListed()).toBe(false);
  stream.close();

  // Repaired by hand: now the database accepts it.
  await database.transaction((transaction) =>
    transaction.execute("UPDATE dead_letters SET body = REPLACE(body, '20260230', '20260228') WHERE HEX(id) = ?", [
      id.replaceAll("-", "").toUpperCase(),
    ]),
  );
  const replayed = await post(`/dead-letters/${id}/replay`, operator);
  expect([replayed.status, await replayed.json()]).toEqual([200, expect.objectContaining({ state: "replayed" })]);
  await expect.poll(async () => (await at(`/events/${id}`)).json()).toMatchObject({ stored: true });
});

test("changes need the scope operate of the letter's domain, and reading its scope read", async () => {
  const id = await deadLetter();
  const stores = bearer((await createKey(system, "--scope", "*:read", "*:operate", "--store", "61")).key);
  for (const [headers, message] of [
    [reader, "expected an API key with the scope purchases:operate"],
    [stores, "expected an API key for all stores, got one that is limited to some"],
  ] as const) {
    for (const action of ["replay", "discard"]) {
      const response = await post(`/dead-letters/${id}/${action}`, headers);
      expect([response.status, await response.json()]).toEqual([403, { message }]);
    }
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

test("a gateway without an operator's account shows dead letters and changes none", async () => {
  const id = await deadLetter();
  expect((await at(`/dead-letters/${id}`, { headers: operator }, 1)).status).toBe(200);
  const response = await post(`/dead-letters/${id}/discard`, operator, 1);
  expect([response.status, await response.json()]).toEqual([
    403,
    { message: "this gateway changes no dead letters: set OPERATOR_DATABASE_URL, or use pnpm tally dead-letters" },
  ]);
});

const put = (store: string, body: unknown, own = operator, gateway = 0) => {
  const headers = { ...own, "content-type": "application/json" };
  return at(`/stores/${store}`, { method: "PUT", headers, body: JSON.stringify(body) }, gateway);
};

test("an operator registers a store, and all gateways know it at once", async () => {
  expect((await at("/stores/70", undefined, 1)).status).toBe(404);
  for (const own of [{ zone: "Africa/Cairo" }, { zone: "America/New_York", closingHour: 2 }]) {
    const store = { storeID: 70, closingHour: 0, ...own };
    const response = await put("070", { ...own, zone: own.zone.toUpperCase() });
    expect([response.status, await response.json()]).toEqual([200, store]);
    expect(await (await at("/stores/70", undefined, 1)).json()).toEqual(store);
    // The read endpoint may be behind.
    await expect.poll(async () => (await at("/stores?after=69&limit=1")).json()).toEqual({ stores: [store] });
  }
  const limited = bearer((await createKey(system, "--scope", "*:operate", "--store", "61")).key);
  const utc = { zone: "UTC" };
  const rejections: readonly [status: number, message: RegExp, ...Parameters<typeof put>][] = [
    [403, /scope purchases:operate/, "70", utc, reader],
    [403, /key for store 70/, "70", utc, limited],
    [403, /^this gateway changes no configuration/, "70", utc, operator, 1],
    [400, /^zone: expected the IANA name of a time zone.*"Europe\/Atlantis"/, "70", { zone: "Europe/Atlantis" }],
    [400, /^zone: expected the IANA name/, "70", { zone: "+02:00" }],
    [400, /^zone: expected the IANA name/, "70", { zone: "T12+0200" }],
    [400, /^closingHour: expected an integer from 0 to 6, got 7/, "70", { ...utc, closingHour: 7 }],
  ];
  for (const [status, message, ...request] of rejections) {
    const response = await put(...request);
    expect([response.status, await response.json()]).toEqual([status, { message: expect.stringMatching(message) }]);
  }
});

test("a sale and a refund are of tomorrow in the zone of their store at the latest", async () => {
  await put("75", { zone: "Pacific/Kiritimati", closingHour: 6 });
  await put("76", { zone: "Pacific/Honolulu" });
  const dateAfter = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10).replaceAll("-", "");
  // Tomorrow in Kiritimati, which is 24 hours ahead of Honolulu.
  const late = dateAfter(38);
  const items = [{ ItemID: 9, numberOfItems: 1 }];
  const entries = [75, 76].map((storeID) => ({ storeID, custID: 1, date: late, items }));
  const lines = [{ line: 0, ItemID: 9, numberOfItems: 1 }];
  const sale = "00000000-0000-7000-8000-000000000075";
  for (const [storeID, status, date] of [
    [75, 201, late],
    [76, 400, late],
    // Not registered: it is in UTC.
    [77, 400, dateAfter(48)],
  ] as const) {
    const keyed = { ...reader, "idempotency-key": "late" };
    const responses = await Promise.all([
      sell(system.url, storeID, { date, headers: reader }),
      sell(system.url, storeID, { date, headers: keyed }),
      postJson(`${system.url}/purchases/${sale}/refunds`, { storeID, date, lines }, keyed),
    ]);
    expect(responses.map((response) => response.status)).toEqual([status, status, status]);
  }
  const inBulk = Object(await (await postJson(`${system.url}/purchases`, entries, reader)).json());
  expect(inBulk.results).toMatchObject([{ status: 201 }, { status: 400, error: expect.stringMatching(/^date: /) }]);
});

test("a file registers stores, a wrong line is rejected with its reason, and an export can be imported", async () => {
  const file = join(await temporaryDirectory(), "stores.csv");
  const exported = `${file}.exported.csv`;
  const tally = ({ authorization }: typeof operator, ...args: readonly string[]) =>
    runTally(system, args, { TALLY_API_KEY: authorization.slice("Bearer ".length) });
  const importFile = (path: string, key = operator) => tally(key, "import", path, "--domain", "stores");
  const lines = ["80,africa/cairo,", "81,Mars/Olympus,2", "82,Europe/Berlin,3", "080,Africa/Cairo,5"];
  await writeFile(file, ["storeID,zone,closingHour", ...lines, ""].join("\n"));
  // An import of events would end with 2: its lines would be stored again.
  await writeFile(`${file}.import-began`, "of other content");
  for (let n = 0; n < 2; n++) {
    expect(await importFile(file)).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("3 lines accepted, 1 rejected"),
    });
    expect(await readFile(`${file}.rejected.csv`, "utf8")).toMatch(
      /\n3,"zone: expected the IANA name .*",81,Mars\/Olympus,2\n$/,
    );
  }
  await tally(operator, "export", "stores", "--output", exported, "--endpoint", "write");
  expect(await readFile(exported, "utf8")).toMatch(
    /^storeID,zone,closingHour\n(7.*\n)*80,Africa\/Cairo,5\n82,Europe\/Berlin,3\n$/,
  );
  expect(await importFile(exported)).toMatchObject({ exitCode: 0, output: expect.stringContaining(" 0 rejected") });
  expect(await importFile(exported, reader)).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining("purchases:operate"),
  });
});

test("the sales of a business day are in the hours of the store, without voids and less refunds", async () => {
  await put("71", { zone: "America/New_York" });
  const sale = (offset: string, quantity: number) => ({
    storeID: 71,
    custID: 1,
    date: "20251102",
    soldAt: `2025-11-02T01:30:00${offset}`,
    idempotencyKey: offset,
    items: [{ ItemID: 9, numberOfItems: quantity, unitPrice: "2", discountAmount: "1" }],
  });
  const sent = await postJson(`${system.url}/purchases`, [sale("-04:00", 3), sale("-05:00", 1)], reader);
  const [first, second] = Object(await sent.json()).results;
  await postJson(`${system.url}/purchases/${second.id}/void`, undefined, reader);
  const refund = { storeID: 71, date: "20251102", lines: [{ line: 0, ItemID: 9, numberOfItems: 1 }] };
  await postJson(`${system.url}/purchases/${first.id}/refunds`, refund, { ...reader, "idempotency-key": "back" });

  const read = async () => Object(await (await at("/stores/71/sales?date=20251102")).json());
  const day = { quantity: 2, grossSales: "6", netSales: "3.3334", receipts: 1 };
  await expect.poll(read).toMatchObject({ storeID: 71, date: "20251102", zone: "America/New_York", ...day });
  const { hours } = await read();
  expect([hours.length, hours.filter((hour: typeof day) => hour.netSales !== "0")]).toEqual([
    25,
    [
      { from: "2025-11-02T01:00:00-04:00", quantity: 3, grossSales: "6", netSales: "5", receipts: 1 },
      // The refund comes long after that day.
      { from: "2025-11-02T23:00:00-05:00", quantity: -1, grossSales: "0", netSales: "-1.6666", receipts: 0 },
    ],
  ]);
});
