import { expect } from "vitest";
import { accessibilityFaults, overflowing, overlapping } from "./inspect.ts";
import { downloaded, openPages, pageTest } from "./open-page.ts";
import { startSystem } from "../kit/system.ts";
import { createKey } from "../kit/tally.ts";

/* The page of a gateway that wants API keys. */

const system = await startSystem({ AUTH: "required" });
const open = openPages();
// The browser logs each 401 and 403.
const refused = /status of 40[13]/;

pageTest("a gateway that needs a key gets it from the user, and the tab keeps it", async () => {
  const { key } = await createKey(system, "--scope", "*:read", "*:write");
  const { page, expectNoFaults } = await open(`${system.url}/#/stores/7`);
  await page.getByLabel("API key").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel("API key").fill(`${key}x`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(/expected a valid API key/).waitFor();
  // No header can have it.
  await page.getByLabel("API key").fill(`${key}…`);
  await page.getByRole("button", { name: "Continue" }).click();
  expect(await page.locator("input:invalid").count()).toBe(1);
  await page.getByLabel("API key").fill(` ${key} `);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Store 7 has sold nothing today.").waitFor();
  const { name } = await downloaded(page, "Latest purchases");
  expect(name).toBe("purchases-latest-7.csv");
  await page.reload();
  await page.getByText("Store 7 has sold nothing today.").waitFor();
  expectNoFaults(refused);
});

pageTest("beside a panel that a key may not see, another one shows what it has after an error", async () => {
  const { key } = await createKey(system, "--scope", "purchases:read", "--store", "7");
  const { page } = await open(`${system.url}/#/stores/7`);
  await page.route(/\/stores\/7\/top-items/, (asked) => asked.fulfill({ status: 404, body: '{"message":"Not yet"}' }));
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByText("Store 7 has sold nothing today.").waitFor();
});

for (const width of [1440, 390]) {
  pageTest(`the first page without sales says how to send one with a key, at ${width} px`, async () => {
    const { key } = await createKey(system, "--scope", "*:read");
    const { page, expectNoFaults } = await open(system.url, { width });
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText("-H content-type:application/json -H 'authorization: Bearer API_KEY' -d '{").waitFor();
    const faults = [await accessibilityFaults(page), await overflowing(page), await overlapping(page)].flat();
    expect(faults).toEqual([]);
    expectNoFaults(refused);
  });
}

pageTest("a key with the scope operate names a store and an item on the page, without a mouse", async () => {
  const [operator, reader] = await Promise.all(
    [["*:read", "purchases:operate"], ["*:read"]].map((scopes) => createKey(system, "--scope", ...scopes)),
  );
  const edit = async (view: string, key = "", width = 1440) => {
    const { page, expectNoFaults } = await open(`${system.url}/#/${view}`, { width });
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText(/^Name/).press("Enter");
    await page.getByLabel("Name", { exact: true }).fill("Hafen");
    const faults = [await accessibilityFaults(page), await overflowing(page), await overlapping(page)].flat();
    expect(faults).toEqual([]);
    await page.keyboard.press("Enter");
    return { page, expectNoFaults };
  };
  const rejected = await edit("items/8", reader?.key);
  await rejected.page.getByText(/^Not saved: .*purchases:operate/).waitFor();
  rejected.expectNoFaults(refused);
  const item = await edit("items/8", operator?.key);
  await item.page.getByText("Saved.").waitFor();
  await item.page.getByLabel("Category valid from").fill("2026-06-01");
  await item.page.getByLabel("Category", { exact: true }).fill("Drinks");
  const moved = item.page.waitForRequest((request) => request.method() === "PUT");
  await item.page.keyboard.press("Enter");
  const body = { name: "Hafen", category: "Drinks", validFrom: "20260601" };
  expect(JSON.parse((await moved).postData() ?? "{}")).toEqual(body);
  item.expectNoFaults(refused);

  const { page, expectNoFaults } = await edit("stores/8", operator?.key, 390);
  await page.getByText("Saved.").waitFor();
  await page.getByLabel("Region", { exact: true }).fill("North");
  await page.getByLabel("Region valid from").fill("2026-06-01");
  await page.getByLabel("Day ends at hour").selectOption("2");
  await page.getByLabel("Currency").fill("EUR");
  await page.getByLabel("Time zone").fill("Mars/Olympus");
  await page.keyboard.press("Enter");
  await page.getByText(/^Not saved: zone: expected the IANA name/).waitFor();
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.keyboard.press("Enter");
  await page.getByText("Saved.").waitFor();
  await page.getByRole("heading", { level: 1, name: "Store 8 Hafen" }).waitFor();
  expectNoFaults(/status of 40[013]/);
  const headers = { authorization: `Bearer ${operator?.key}` };
  expect(await (await fetch(`${system.url}/stores/8`, { headers })).json()).toEqual({
    storeID: 8,
    name: "Hafen",
    zone: "Europe/Berlin",
    closingHour: 2,
    region: "North",
    validFrom: "20260601",
    currency: "EUR",
  });
  // Without the region, which would become valid today.
  await page.getByLabel("Name", { exact: true }).fill("Hafen West");
  const sent = page.waitForRequest((request) => request.method() === "PUT");
  await page.keyboard.press("Enter");
  const { name, region } = JSON.parse((await sent).postData() ?? "{}");
  expect({ name, region }).toEqual({ name: "Hafen West" });
});
