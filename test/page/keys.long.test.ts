import { expect } from "vitest";
import { accessibilityFaults } from "./inspect.ts";
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
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Store 7 has sold nothing today.").waitFor();
  const { name } = await downloaded(page, "Latest purchases");
  expect(name).toBe("purchases-latest-7.csv");
  await page.reload();
  await page.getByText("Store 7 has sold nothing today.").waitFor();
  expectNoFaults(refused);
});
