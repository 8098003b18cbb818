import { utcDayOf } from "@tally/contract";
import { awayFromMidnight } from "@tally/local/at-end";
import { expect, vi } from "vitest";
import { accessibilityFaults, overflowing, overlapping } from "./inspect.ts";
import { downloaded, openPages, pageTest } from "./open-page.ts";
import { bulk, longName, saleOf, seed } from "./seed.ts";
import { batchOf, openPublisher, poisonSale } from "../kit/publish.ts";
import { referenceOf } from "../http/reference.ts";
import { postJson } from "../kit/sales.ts";
import { openDatabase, startSystem } from "../kit/system.ts";

/* Each view with data, on a desktop and on a phone, in light and in dark. */

await awayFromMidnight(600_000);
const system = await startSystem({ BY: "quantity,netSales", CURRENCY: "EUR" });
await seed(system);
// A page does not repeat a rejected request. So wait until the rankings are built and the read endpoint has the region.
await vi.waitFor(async () => {
  for (const path of ["/chain/sales", "/regions/East/top-stores?date=today", "/albums/top", "/swipes/top"])
    expect([path, (await fetch(system.url + path)).status]).toEqual([path, 200]);
}, 120_000);
const weekAgo = Math.floor(Date.now() / 1000) - 7 * 86_400;
const dayThen = String(utcDayOf(weekAgo * 1000));
await openDatabase(system).writer.query(
  "INSERT INTO sales_samples (day, slot, quantity, net_sales, stores, items) VALUES (?, ?, 40, 900000, ?, '[]')",
  [dayThen, Math.floor(weekAgo / 900) - 2, "[[7, 40, 900000, 0]]"],
);
const publish = await openPublisher(system);
await publish(batchOf([poisonSale(7)]));
const open = openPages();

/** Every view of the page with seeded data, by the heading that shows that it is there. */
const views = [
  { name: "chain", hash: "", heading: "The chain today" },
  { name: "receipts", hash: "#/chain/receipts", heading: "The chain today" },
  { name: "attention", hash: "#/chain/attention", heading: "What needs attention" },
  { name: "region", hash: "#/regions/East", heading: "Region East today" },
  { name: "wall", hash: "#/wall", heading: "The chain today" },
  { name: "stores", hash: "#/stores", heading: "Stores" },
  { name: "store", hash: "#/stores/7", heading: "Store 7" },
  { name: "store on some days", hash: "#/stores/7?date=2020-02-01..2020-02-07&by=netSales", heading: "Store 7" },
  { name: "items", hash: "#/items?search=oat", heading: "Items" },
  { name: "item", hash: "#/items/83997", heading: "Item 83997" },
  { name: "item today", hash: "#/items/83997?date=today", heading: "Item 83997" },
  { name: "skiers", hash: "#/boards/liftrides/top-skiers", heading: "Top skiers of a day" },
  { name: "steps", hash: "#/boards/steps/top-users", heading: "Steps of a day" },
  { name: "swipes", hash: "#/boards/swipes/top-users", heading: "Most liked users" },
  { name: "albums", hash: "#/boards/albums/top-albums", heading: "Top albums" },
  { name: "pipeline", hash: "#/pipeline", heading: "Pipeline" },
  { name: "dead-letters", hash: "#/dead-letters", heading: "Dead letters" },
] as const;

for (const { name, hash, heading } of views) {
  for (const width of name === "store" ? [1440, 490, 390] : [1440, 390]) {
    pageTest(
      `${name} at ${width} px: no serious finding of axe, nothing cut off, no error in the console`,
      async () => {
        const { page, expectNoFaults } = await open(`${system.url}/${hash}`, { width });
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        if (heading.endsWith("today")) await page.getByText("Net sales today, EUR").waitFor();
        await expect.poll(() => page.locator(".message.waiting").count()).toBe(0);
        for (const scheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          await expect.poll(() => overflowing(page)).toEqual([]);
          await expect.poll(() => overlapping(page)).toEqual([]);
          await expect.poll(() => accessibilityFaults(page)).toEqual([]);
        }
        await expect.poll(() => page.locator(".message.problem").allTextContents()).toEqual([]);
        expectNoFaults();
      },
    );
  }
}

pageTest("in a zone with half hours the chart says when its hours begin", async () => {
  const { page } = await open(system.url, { timezoneId: "Asia/Kolkata" });
  await page.getByText("Each hour begins 30 min after the time below it.").waitFor();
});

pageTest("a store is found by a part of its name, and names are beside the ids", async () => {
  const { page, expectNoFaults } = await open(`${system.url}/#/stores`);
  await page.getByRole("textbox", { name: "Store" }).fill("MITTE");
  await page.keyboard.press("Enter");
  const rows = page.getByRole("table", { name: 'Registered stores with "MITTE" in their name' }).getByRole("row");
  await expect.poll(() => rows.allTextContents()).toEqual(["StoreNameRegion", "7Berlin MitteEast"]);
  await rows.getByRole("link", { name: "7" }).click();
  await page.getByRole("heading", { level: 1, name: "Store 7 Berlin Mitte" }).waitFor();
  await page.getByRole("list", { name: "Best sellers today" }).getByRole("link", { name: longName }).click();
  await page.getByRole("heading", { level: 1, name: `Item 83997 ${longName}` }).waitFor();
  await page.getByRole("link", { name: "Store 7 Berlin Mitte" }).waitFor();
  expectNoFaults();
});

pageTest(
  "a figure of the chain leads to its stores, and each of them to its own view, by the same measure",
  async () => {
    const { page, expectNoFaults } = await open(`${system.url}/`);
    await page.locator(".tile", { hasText: "Net sales today" }).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Top stores of the chain" }).waitFor();
    await page.locator(".bars").getByRole("link", { name: "7 Berlin Mitte" }).click();
    await page.getByRole("heading", { level: 1, name: "Store 7 Berlin Mitte" }).waitFor();
    await page.getByText("Best seller today by net sales").waitFor();
    expectNoFaults();
  },
);

pageTest("the rules of the alerts are in plain words, and change without a mouse", async () => {
  const { page, expectNoFaults } = await open(`${system.url}/`, { width: 390 });
  const ruleOf = (text: string) => page.locator("details details", { hasText: text });
  const silent = ruleOf("A store has sold nothing");
  await page.getByText("What needs attention").press("Enter");
  await silent.getByText("for 60 minutes, and at least 5 units").press("Enter");
  await silent.getByLabel("Minutes").fill("90");
  await silent.getByLabel("Rule").selectOption("off");
  for (const faults of [accessibilityFaults, overflowing, overlapping])
    await expect.poll(() => faults(page)).toEqual([]);
  await silent.getByLabel("Minutes").press("Enter");
  await page.getByText("Saved. It applies from the next minute on.").waitFor();
  await page.getByText("Off: A store has sold nothing for 90 minutes, and at least 5 units").waitFor();
  const { rules } = Object(await (await fetch(`${system.url}/alert-rules`)).json());
  expect(rules[0]).toEqual({ rule: "silent", isOn: false, minutes: 90, minimum: 5, above: 0 });
  await page.getByText("More than 20 % of what a store sold today").press("Enter");
  await ruleOf("More than 20 %").getByLabel("More than this many times (0.2: 20 %)").fill("much");
  await page.keyboard.press("Enter");
  await page.getByText(/^Not saved: .*above/).waitFor();
  expectNoFaults(/status of 400/);
});

pageTest("a store whose dates are wrong says so in its own view and on the first page", async () => {
  const { page, expectNoFaults } = await open(`${system.url}/#/stores/031`);
  // It is noon there.
  const behind = new Date().getUTCHours() - 12;
  await postJson(`${system.url}/stores/31`, { zone: `Etc/GMT${behind < 0 ? behind : `+${behind}`}` }, {}, "PUT");
  const date = String(utcDayOf(Date.now() - (24 + behind) * 3_600_000));
  await bulk(system.url, [{ ...saleOf(31, 80_571, 1), date }]);
  // Rankers look each minute.
  await page.getByText("its sales are dated").waitFor({ timeout: 240_000 });
  await page.goto(system.url);
  await page.getByText("Store 31: its sales are dated").waitFor();
  expectNoFaults();
});

pageTest("what a panel shows is downloaded as CSV, and its link opens the same days again", async () => {
  const { page, expectNoFaults } = await open(`${system.url}/`);
  await expect.poll(() => page.getByRole("list", { name: "Best categories today" }).textContent()).toMatch(/^1Drinks/);
  const categories = await downloaded(page, "Best categories today");
  expect(categories.content).toMatch(/^\uFEFFfrom,to,by,rank,category,netSales\r\n20\d{6},20\d{6},netSales,1,Drinks,/);
  await page.goto(`${system.url}/#/stores/7`);
  const days = page.url().length;
  const best = page.getByRole("list", { name: "Best sellers today" });
  await best.waitFor();
  await page.getByRole("link", { name: "Link to Best sellers today" }).press("Enter");
  await expect.poll(() => page.url().slice(days)).toMatch(/^\?date=20\d\d-\d\d-\d\d&by=quantity$/);
  const date = page.url().slice(days + 6, days + 16);
  const { name, content } = await downloaded(page, `Best sellers on ${date}`);
  expect(name).toBe(`stores-7-top-items-${date.replaceAll("-", "")}-quantity.csv`);
  const lines = content.split("\r\n");
  expect(lines[0]).toBe("\uFEFFstoreID,storeName,from,to,by,rank,itemID,name,quantity");
  expect(lines).toHaveLength(12);
  const latest = await downloaded(page, "Latest purchases");
  expect(latest.content).toContain(longName);
  expect(await page.getByRole("table", { name: "Latest purchases" }).textContent()).toContain(longName);
  const [{ eventID, date: day, items }] = Object(
    await (await fetch(`${system.url}/purchases/latest?storeID=7`)).json(),
  ).purchases;
  const refund = { storeID: 7, date: day, items: [{ line: 0, ItemID: items[0].ItemID, numberOfItems: 1 }] };
  await postJson(`${system.url}/purchases/${eventID}/refunds`, refund, { "idempotency-key": "back" });
  await page.getByRole("table", { name: "Refunds made here" }).waitFor();
  await expect.poll(() => overlapping(page)).toEqual([]);
  const refunds = await downloaded(page, "Refunds made here");
  expect([refunds.name, refunds.content]).toEqual(["purchases-latest-refunds-7.csv", expect.stringContaining(eventID)]);
  await page.goto(`${system.url}/#/pipeline`);
  expect((await downloaded(page, "Servers")).content).toMatch(/^\uFEFFname,state,latencyMs\r\nbroker,up,/);
  expectNoFaults();
});

pageTest("boards show what the domains describe, albums with their pictures", async () => {
  const { page, expectNoFaults } = await open(`${system.url}/#/boards/liftrides/top-skiers`);
  const bars = page.locator(".bars li");
  await expect.poll(() => bars.count()).toBe(10);
  // Skier 1004 took lift 38.
  expect(await bars.first().textContent()).toMatch(/1004.*380/);
  await page.getByRole("link", { name: "Steps of a day" }).click();
  await expect.poll(() => bars.count()).toBe(10);
  await page.getByRole("link", { name: "Most liked users" }).click();
  await expect.poll(() => bars.first().textContent()).toMatch(/3\d{3}/);
  await page.getByRole("link", { name: "Top albums" }).click();
  const shown = `[...document.querySelectorAll(".bars img")].filter((image) => image.naturalWidth > 0).length`;
  await expect.poll(() => page.evaluate(shown)).toBe(8);
  await page.getByRole("combobox", { name: "By" }).selectOption("dislikes");
  await page.getByRole("button", { name: "Show" }).click();
  await expect.poll(() => bars.count()).toBe(2);
  expect(page.url()).toContain("by=dislikes");
  expectNoFaults();
});

pageTest("/docs shows every operation of the API reference, and sends one", async () => {
  const { paths } = await referenceOf(system.url);
  const operations = Object.values(paths).flatMap((item) => Object.keys(item));
  const { page, expectNoFaults } = await open(`${system.url}/docs`);
  await expect.poll(() => page.locator(".opblock").count(), { timeout: 120_000 }).toBe(operations.length);
  await page.getByText("/stores/{storeID}/top-items").first().click();
  for (const name of ["Try it out", "Execute"]) await page.getByRole("button", { name }).click();
  await page.locator(".live-responses-table").getByText("200").first().waitFor();
  expectNoFaults();
});
