import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { documentOf, startAlone } from "./start-alone.test-kit.ts";

/* In a real browser. Skipped on a machine without one, unless CHROMIUM names it. */

const paths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const browserPath = process.env["CHROMIUM"] ?? paths.find((path) => existsSync(path));
const reason = browserPath === undefined ? " (skipped: no browser)" : "";

test.skipIf(browserPath === undefined)(
  `/docs shows every operation, without the internet and without an error${reason}`,
  async () => {
    const gateway = await startAlone();
    onTestFinished(() => gateway.stop());
    const operations = Object.values((await documentOf(gateway)).paths).flatMap((item) => Object.values(item));
    const browser = await chromium.launch({
      executablePath: browserPath ?? "",
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
    });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const errors: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
    page.on("pageerror", (error) => void errors.push(error.message));
    page.on("request", (request) => void requests.push(request.url()));
    const url = `http://127.0.0.1:${gateway.port}`;
    await page.goto(`${url}/docs`);
    await page
      .locator(".opblock")
      .nth(operations.length - 1)
      .waitFor({ timeout: 30_000 });
    expect(await page.locator(".opblock").count()).toBe(operations.length);

    // An operation opens with its examples, and can be sent from the page.
    await page.getByText("/stores/{storeID}/top-items").first().click();
    await page.getByRole("button", { name: "Try it out" }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    // No server is reachable.
    await page.getByText("cannot be read at the moment").first().waitFor({ timeout: 30_000 });

    expect(requests.filter((one) => !one.startsWith(url) && !one.startsWith("data:"))).toEqual([]);
    // The browser logs the 503 of the request above.
    expect(errors.filter((error) => !error.includes("503"))).toEqual([]);
  },
);
