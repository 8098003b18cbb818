import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { utcDayOf } from "@tally/contract";
import { awayFromMidnight, temporaryDirectory } from "@tally/local/at-end";
import { beforeEach, expect, test, vi } from "vitest";
import { openStream } from "./kit/fronts.ts";
import { startOperated } from "./kit/operators.ts";
import { spawnGateway, startGateway } from "./kit/programs.ts";
import { expectJson, postJson, sell } from "./kit/sales.ts";
import { openDatabase } from "./kit/system.ts";
import { expectEnd, runTally } from "./kit/tally.ts";

/* Stores and items that operators register. */

const { system, keyOf, operator, reader, at } = await startOperated();
beforeEach(() => awayFromMidnight());

const put = (store: string, body: unknown, own = operator, gateway = 0, many = "stores") =>
  postJson(`${system.urls[gateway]}/${many}/${store}`, body, own, "PUT");

const read = async (path: string, gateway = 0) => Object(await (await at(path, undefined, gateway)).json());

test("an operator registers a store, and all gateways know it at once", async () => {
  expect((await at("/stores/70", undefined, 1)).status).toBe(404);
  for (const own of [{ zone: "Africa/Cairo" }, { zone: "America/New_York", closingHour: 2 }]) {
    const store = { storeID: 70, closingHour: 0, ...own };
    await expectJson(await put("070", { ...own, zone: own.zone.toUpperCase() }), 200, store);
    expect(await read("/stores/70", 1)).toEqual(store);
    // The read endpoint may be behind.
    await expect.poll(() => read("/stores?after=69&limit=1")).toEqual({ stores: [store] });
  }
  const limited = await keyOf("*:operate", "--store", "61");
  const utc = { zone: "UTC" };
  const rejections: readonly [status: number, message: RegExp, ...Parameters<typeof put>][] = [
    [403, /scope purchases:operate/, "70", utc, reader],
    [403, /key for store 70/, "70", utc, limited],
    [403, /^this gateway changes no configuration/, "70", utc, operator, 1],
    [400, /^zone: expected the IANA name of a time zone.*"Europe\/Atlantis"/, "70", { zone: "Europe/Atlantis" }],
    [400, /^zone: expected the IANA name/, "70", { zone: "+02:00" }],
    [400, /^zone: expected the IANA name/, "70", { zone: "T12+0200" }],
    [400, /^closingHour: expected an integer from 0 to 6, got 7/, "70", { ...utc, closingHour: 7 }],
    [400, /^name: expected a text of 1 to 100 characters/, "70", { ...utc, name: "Hafen " }],
    [400, /^currency: expected an ISO 4217 code.*"eur"/, "70", { ...utc, currency: "eur" }],
    [400, /^currency: expected an ISO 4217 code.*"EUX"/, "70", { ...utc, currency: "EUX" }],
    [400, /^region: expected a text of 1 to 60 characters/, "70", { ...utc, region: "N".repeat(61) }],
    [400, /^region: expected a text of .*, not "\.", not "\.\.", got "\.\."/, "70", { ...utc, region: ".." }],
    [400, /^validFrom: expected a calendar date/, "70", { ...utc, region: "North", validFrom: "20260230" }],
    [400, /^region: expected a region beside validFrom/, "70", { ...utc, validFrom: "20260601" }],
    [400, /^name: expected a text of 1 to 100 characters/, "70", { name: "" }, operator, 0, "items"],
    [400, /^category: expected a category beside/, "70", { name: "Tea", validFrom: "20260601" }, operator, 0, "items"],
    [403, /all stores/, "70", { name: "Tea" }, limited, 0, "items"],
  ];
  for (const [status, message, ...request] of rejections)
    await expectJson(await put(...request), status, { message: expect.stringMatching(message) });
});

const tally = ({ authorization }: typeof operator, ...args: readonly string[]) =>
  runTally(system, args, { TALLY_API_KEY: authorization.slice("Bearer ".length) });

test("a store that moves keeps its earlier regions, and what a PUT leaves out stays", async () => {
  const zone = "UTC";
  const store = { storeID: 72, zone, closingHour: 0, name: "Hafen" };
  const north = { region: "North", validFrom: "10000101" };
  const south = { region: "South", validFrom: "20260601" };
  const misspelt = { ...south, region: "Suoth" };
  const later = { region: "West", validFrom: "29990101" };
  const today = String(utcDayOf(Date.now()));
  for (const [body, shown] of [
    [{ zone, name: "Hafen", region: "North" }, north],
    [{ zone, ...misspelt, validFrom: 20260601 }, misspelt],
    [{ zone, ...south }, south],
    [{ zone, region: "South" }, south],
    [{ zone }, south],
    [{ zone, ...later }, later],
    // It is not the one of today yet.
    [{ zone, region: "West" }, later],
  ]) {
    expect(await (await put("72", body)).json()).toEqual({ ...store, ...shown });
    expect(await read("/stores/72")).toEqual({ ...store, ...shown });
  }
  const { output } = await tally(operator, "export", "stores", "--store", "72", "--endpoint", "write");
  const lines = output.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    [north, south, { region: "West", validFrom: today }, later].map((version) => Object.assign({}, store, version)),
  );
});

test("items get names from a file, are found by a part of them, and rankings show the names", async () => {
  const file = join(await temporaryDirectory(), "items.csv");
  const items = [
    { itemID: 900, name: "Oat drink, 1 l", category: "Plants", validFrom: "20260601" },
    { itemID: 901, name: "Apfelmüsli 50 % Frucht" },
    { itemID: 902, name: "Apfelsaft" },
  ];
  await writeFile(
    file,
    'itemID,name,category,validFrom\n900,"Oat drink, 1 l",Drinks,10000101\n900,"Oat drink, 1 l",Plants,20260601\n901,Apfelmüsli 50 % Frucht,,\n902,Apfelsaft,,\n',
  );
  expect(await tally(operator, "import", file)).toMatchObject({ exitCode: 0 });
  // PUTs that share a transaction have their own responses.
  const reversed = items.toReversed();
  const twice = [...reversed, ...reversed];
  const responses = twice.map(({ itemID, ...body }) => put(`${itemID}`, body, operator, 0, "items"));
  expect(await Promise.all(responses.map(async (response) => (await response).json()))).toEqual(twice);
  await tally(operator, "export", "items", "--output", `${file}.2.csv`, "--endpoint", "write");
  expect(await readFile(`${file}.2.csv`, "utf8")).toBe(await readFile(file, "utf8"));
  const found = async (query: string) => (await read(`/items?${query}`)).items;
  // The last one: the read endpoint may be behind.
  await expect.poll(() => found("search=apfel&after=901")).toEqual([items[2]]);
  expect(await found("search=APFELM%C3%BC")).toEqual([items[1]]);
  expect(await found("search=50%20%25")).toEqual([items[1]]);
  expect(await found("search=%25")).toEqual([items[1]]);
  for (const none of ["_", String.raw`\F`]) expect(await found(`search=${encodeURIComponent(none)}`)).toEqual([]);

  const sold = items.map(({ itemID }) => ({ ItemID: itemID, numberOfItems: itemID }));
  const sale = { storeID: 73, custID: 1, date: "20261120", items: sold };
  await put("73", { zone: "UTC", name: "Altona" });
  await postJson(`${system.url}/purchases`, [sale], reader);
  const best = reversed.map(({ itemID, name }) => ({ itemID, name, quantity: itemID }));
  await expect.poll(() => read("/stores/73/top-items")).toMatchObject({ name: "Altona", items: best });
  expect(await read("/stores/73/items/901/rank")).toMatchObject({ name: items[1]?.name, around: best });
  expect(await read("/items/900/top-stores")).toMatchObject({ name: "Oat drink, 1 l", stores: [{ name: "Altona" }] });
  const moved = { name: "Oat drink, 1 l", category: "Oats" };
  const today = String(utcDayOf(Date.now()));
  await expectJson(await put("900", moved, operator, 0, "items"), 200, { itemID: 900, ...moved, validFrom: today });
  // A new name is shown within seconds.
  await put("902", { name: "Apfelsaft naturtrüb" }, operator, 0, "items");
  await expect
    .poll(() => read("/stores/73/top-items?limit=1"), { timeout: 20_000 })
    .toMatchObject({ items: [{ name: "Apfelsaft naturtrüb" }] });
  expect((await tally(operator, "top", "store", "73")).output).toMatch(/1 +902 +Apfelsaft naturtrüb +902\n/);
});

test("the lists of any route come as CSV for spreadsheets, with names", async () => {
  const csvOf = async (path: string) => {
    const response = await at(path);
    const { headers } = response;
    expect([response.status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    const text = Buffer.from(await response.arrayBuffer()).toString();
    expect(text[0]).toBe("\uFEFF");
    const [, file] = /^attachment; filename="(.*)"$/.exec(headers.get("content-disposition") ?? "") ?? [];
    return { file, lines: text.slice(1).split("\r\n") };
  };
  await put("910", { name: "=HYPERLINK(1)" }, operator, 0, "items");
  await put("911", { name: 'Tee "grün"' }, operator, 0, "items");
  const sold = [910, 911].map((ItemID) => ({ ItemID, numberOfItems: ItemID, unitPrice: "1.5" }));
  const sale = { storeID: 78, custID: 5, date: "20261120", items: sold };
  const send = () => postJson(`${system.url}/purchases`, [sale], reader);
  const message = expect.stringMatching(/^items\[0\]\.unitPrice: expected a currency of store 78 \(set it with PUT /);
  expect(await (await send()).json()).toMatchObject({ results: [{ status: 400, error: message }] });
  const one = await sell(system.url, 78, { unitPrice: "1.5", headers: reader });
  expect([one.status, await one.json()]).toEqual([400, { message }]);
  await put("78", { zone: "UTC", name: "Öst, alt", region: "East", currency: "EUR" });
  const sent = Object(await (await send()).json());
  const id: string = sent.results[0].id;
  const best = () => csvOf("/stores/78/top-items?date=20261120&by=netSales&limit=5&format=csv");
  await expect.poll(best).toEqual({
    file: "stores-78-top-items-20261120-netSales.csv",
    lines: [
      "storeID,storeName,from,to,by,rank,itemID,name,netSales",
      '78,"Öst, alt",20261120,20261120,netSales,1,911,"Tee ""grün""",1366.5000',
      `78,"Öst, alt",20261120,20261120,netSales,2,910,'=HYPERLINK(1),1365.0000`,
      "",
    ],
  });
  const named = {
    storeName: "Öst, alt",
    items: [
      { line: 0, unitPrice: "1.5000", discountAmount: "0.0000", refundable: 910, name: "=HYPERLINK(1)" },
      { line: 1, name: 'Tee "grün"' },
    ],
  };
  expect(await read(`/purchases/${id}`)).toMatchObject(named);
  expect((await csvOf("/stores/78/items/911/rank?date=20261120&around=1&format=csv")).lines).toEqual([
    "storeID,asked.itemID,asked.itemName,from,to,by,rank,itemID,name,quantity",
    `78,911,"Tee ""grün""",20261120,20261120,quantity,1,911,"Tee ""grün""",911`,
    `78,911,"Tee ""grün""",20261120,20261120,quantity,2,910,'=HYPERLINK(1),910`,
    "",
  ]);
  // The list is read from the read endpoint, which may be behind; the rankings are in Redis.
  const latest = await vi.waitFor(async () => {
    const found = await csvOf("/purchases/latest?storeID=78&format=csv");
    expect(found.lines).toHaveLength(4);
    return found;
  }, 20_000);
  expect(latest.file).toBe("purchases-latest-78.csv");
  expect(latest.lines.map((line) => line.replace(/,20..-.*$/, ",arrived"))).toEqual([
    "eventID,storeID,custID,date,items.ItemID,items.numberOfItems,items.unitPrice,items.discountAmount,items.name,arrivedAt",
    `${id},78,5,20261120,910,910,1.5000,0.0000,'=HYPERLINK(1),arrived`,
    `${id},78,5,20261120,911,911,1.5000,0.0000,"Tee ""grün""",arrived`,
    "",
  ]);
  expect(await csvOf("/purchases/latest?storeID=78&format=csv&list=refunds")).toEqual({
    file: "purchases-latest-refunds-78.csv",
    lines: [expect.stringMatching(/saleEventID/), ""],
  });
  expect((await csvOf("/stores?search=,%20alt&format=csv")).lines).toEqual([
    "storeID,zone,closingHour,name,region,validFrom,currency",
    '78,UTC,0,"Öst, alt",East,10000101,EUR',
    "",
  ]);
  expect((await csvOf("/dead-letters?format=csv")).lines[0]).toMatch(/^id,domain,stage,/);
  // Without a right the response is the error, as JSON.
  const rejected = await at("/dead-letters?format=csv", { headers: await keyOf("albums:read") });
  expect(await rejected.json()).toMatchObject({ message: expect.stringMatching(/scope \*:read/) });
  const head = await at("/stores?format=csv", { headers: operator, method: "HEAD" });
  expect(head.headers.get("content-type")).toMatch(/^text\/csv/);
  expect(head.headers.get("cache-control")).toBe("no-store");
  for (const path of ["/stores?format=xml", "/stores?format=csv&list=stores", "/live?watch=%2Fitems%3Fformat%3Dcsv"]) {
    const { status, headers } = await at(path);
    expect([path, status, headers.get("content-type")]).toEqual([path, 400, "application/json; charset=utf-8"]);
  }
});

test("a watch repeats best items within a second, and best categories, which cost more, each 15 s", async () => {
  await put("950", { name: "Ginger", category: "Roots" }, operator, 0, "items");
  const begunAt = performance.now();
  const { latest, close } = await openStream(system.url, ["/chain/top-items", "/chain/top-categories"], reader);
  await expect.poll(() => [latest(0)?.status, latest(1)?.status]).toEqual([200, 200]);
  await sell(system.url, 79, { item: 950, quantity: 7, date: String(utcDayOf(Date.now())), headers: reader });
  const items = () => JSON.stringify(latest(0)?.body);
  await expect.poll(items, { timeout: 12_000 }).toContain("950");
  const categories = JSON.stringify(latest(1)?.body);
  // On a busy machine, the 15 s may be over.
  if (performance.now() - begunAt < 14_000) expect(categories).not.toContain("Roots");
  close();
});

test("a sale and a refund are of tomorrow in the zone of their store at the latest", async () => {
  // A later test expects no alert of a sale of tomorrow.
  expect((await put("dates", { isOn: false }, operator, 0, "alert-rules")).status).toBe(200);
  await put("75", { zone: "Pacific/Kiritimati", closingHour: 6 });
  await put("76", { zone: "Pacific/Honolulu" });
  const dateAfter = (hours: number) => String(utcDayOf(Date.now() + hours * 3_600_000));
  // Tomorrow in Kiritimati, which is 24 hours ahead of Honolulu.
  const late = dateAfter(38);
  const items = [{ ItemID: 9, numberOfItems: 1 }];
  const entries = [75, 76].map((storeID) => ({ storeID, custID: 1, date: late, items }));
  const refunded = [{ line: 0, ItemID: 9, numberOfItems: 1 }];
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
      postJson(`${system.url}/purchases/${sale}/refunds`, { storeID, date, items: refunded }, keyed),
    ]);
    expect(responses.map((response) => response.status)).toEqual([status, status, status]);
  }
  const bulk = (sent: readonly unknown[]) => postJson(`${system.url}/purchases`, sent, reader);
  const inBulk = Object(await (await bulk(entries)).json());
  expect(inBulk.results).toMatchObject([{ status: 201 }, { status: 400, error: expect.stringMatching(/^date: /) }]);

  // A zone that only processes with newer data know: the date is possible in some zone.
  const zoneIs = (zone: string) =>
    openDatabase(system).transaction((tx) => tx.execute("UPDATE stores SET zone = ? WHERE store_id = 76", [zone]));
  await zoneIs("Mars/Base");
  expect((await bulk([entries[1], ...Array.from({ length: 999 }, () => ({}))])).status).toBe(207);
  expect((await at("/chain/top-items?date=today")).status).toBe(200);
  expect((await at("/stores/76/sales")).status).toBe(200);
  await zoneIs("Pacific/Honolulu");
});

test("a file registers stores, a wrong line is rejected with its reason, and an export can be imported", async () => {
  const file = join(await temporaryDirectory(), "stores.csv");
  const exported = `${file}.exported.csv`;
  const importFile = (path: string, key = operator) => tally(key, "import", path);
  const lines = ["80,africa/cairo,,", "81,UTC,2,USD", "82,Europe/Berlin,3,EUR", "080,Africa/Cairo,5,"];
  await writeFile(file, ["storeID,zone,closingHour,currency", ...lines, ""].join("\n"));
  // An import of events ends with 2 here, because it would store its lines again.
  await writeFile(`${file}.import-began`, "of other content");
  for (let n = 0; n < 2; n++) {
    expectEnd(await importFile(file), 1, "3 lines accepted, 1 rejected");
    expect(await readFile(`${file}.rejected.csv`, "utf8")).toMatch(
      /\n3,"currency: expected EUR, which registered stores have, got ""USD""",81,UTC,2,USD\n$/,
    );
  }
  await tally(operator, "export", "stores", "--output", exported, "--endpoint", "write");
  expect(await readFile(exported, "utf8")).toMatch(
    /^storeID,zone,closingHour,name,region,validFrom,currency\n(7.*\n)*80,Africa\/Cairo,5,,,,\n82,Europe\/Berlin,3,,,,EUR\n$/,
  );
  expectEnd(await importFile(exported), 0, " 0 rejected");
  await writeFile(file, "storeID,zone\n80,Africa/Cairo\n");
  expectEnd(await importFile(file), 2, "column closingHour: expected");
  expectEnd(await importFile(exported, reader), 2, "purchases:operate");
});

test("a gateway starts with the CURRENCY of registered stores only, or without the database", async () => {
  await put("78", { zone: "UTC", currency: "EUR" });
  const rejected = spawnGateway(system, { CURRENCY: "CHF", PORT: "0" });
  expect([await rejected.ended, rejected.output()]).toEqual([
    2,
    expect.stringMatching(/CURRENCY: expected EUR, which registered stores have, got CHF\n$/),
  ]);
  const away = "mysql://nobody@127.0.0.1:1/none";
  const withoutDatabase = { CURRENCY: "CHF", DATABASE_WRITE_URL: away, DATABASE_READ_URL: away };
  for (const own of [{ CURRENCY: "EUR" }, withoutDatabase])
    expect(await (await startGateway(system, own)).stop()).toBe(0);
});

test("the sales of a business day are in the hours of the store, without voids and less refunds", async () => {
  await put("71", { zone: "America/New_York", currency: "EUR" });
  const sale = (offset: string, numberOfItems: number) => {
    const items = [{ ItemID: 9, numberOfItems, unitPrice: "2", discountAmount: "1" }];
    const soldAt = `2025-11-02T01:30:00${offset}`;
    return { storeID: 71, custID: 1, date: "20251102", soldAt, idempotencyKey: offset, items };
  };
  const sent = await postJson(`${system.url}/purchases`, [sale("-04:00", 3), sale("-05:00", 1)], reader);
  const [first, second] = Object(await sent.json()).results;
  await postJson(`${system.url}/purchases/${second.id}/void`, undefined, reader);
  const refund = { storeID: 71, date: "20251102", items: [{ line: 0, ItemID: 9, numberOfItems: 1 }] };
  await postJson(`${system.url}/purchases/${first.id}/refunds`, refund, { ...reader, "idempotency-key": "back" });

  const sales = () => read("/stores/71/sales?date=20251102");
  const day = { quantity: 2, grossSales: "6.0000", discounts: "1.0000", returns: "1.6666", netSales: "3.3334" };
  const shown = { storeID: 71, date: "20251102", zone: "America/New_York", ...day, receipts: 1, currency: "EUR" };
  await expect.poll(sales).toMatchObject(shown);
  const { hours } = await sales();
  const times = hours.map(({ hour, offset }: Record<"hour" | "offset", string>) => hour + offset);
  expect(times.slice(0, 4)).toEqual(["00-04:00", "01-04:00", "01-05:00", "02-05:00"]);
  const sold = { grossSales: "6.0000", discounts: "1.0000", returns: "0.0000", netSales: "5.0000" };
  const back = { grossSales: "0.0000", discounts: "0.0000", returns: "1.6666", netSales: "-1.6666" };
  expect([hours.length, hours.filter((hour: typeof day) => hour.netSales !== "0.0000")]).toEqual([
    25,
    [
      { hour: "01", offset: "-04:00", quantity: 3, ...sold, receipts: 1 },
      // The refund comes long after that day.
      { hour: "23", offset: "-05:00", quantity: -1, ...back, receipts: 0 },
    ],
  ]);
});

test("a sale is in the sales of the chain, of its region and of its hour, and rules of alerts can be changed", async () => {
  await put("73", { zone: "UTC", region: "Harbour A/B" });
  const { date } = await read("/chain/sales");
  const sale = { storeID: 73, custID: 1, date, items: [{ ItemID: 9, numberOfItems: 4 }] };
  await postJson(`${system.url}/purchases`, [sale], reader);
  const region = { region: "Harbour A/B", quantity: 4 };
  const sold = { date, regions: expect.arrayContaining([region]), alerts: [] };
  await expect.poll(() => read("/chain/sales")).toMatchObject(sold);
  const { quantity, hours } = await read("/chain/sales", 1);
  expect(hours.reduce((sum: number, hour: typeof region) => sum + hour.quantity, 0)).toBe(quantity);
  expect(await (await at("/chain/sales?format=csv&list=regions")).text()).toMatch(/Harbour A\/B,4/);
  const from = utcDayOf(Date.now() - 9 * 86_400_000);
  // Several days are counted from the rows of the read endpoint, which may be behind.
  const of = await vi.waitFor(async () => {
    const best = await read(`/regions/Harbour%20A%2FB/top-items?from=${from}&to=${date}`);
    expect(best.items).toContainEqual({ rank: best.items.length, itemID: 9, quantity: 4 });
    return best;
  }, 20_000);
  expect(of).toMatchObject({ region: "Harbour A/B", from: String(from), to: date });
  expect((await at("/chain/sales?date=20260101")).status).toBe(404);
  const limited = await keyOf("*:read", "--store", "73");
  expect((await at("/chain/sales", { headers: limited })).status).toBe(403);

  const silent = { rule: "silent", isOn: true, minutes: 90, minimum: 5, above: 0 };
  await expectJson(await put("silent", { minutes: 90 }, operator, 0, "alert-rules"), 200, silent);
  expect((await put("silent", { minutes: 5 }, operator, 0, "alert-rules")).status).toBe(400);
  const { rules } = await read("/alert-rules", 1);
  expect(rules[0]).toEqual(silent);
});
