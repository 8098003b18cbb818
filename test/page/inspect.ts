import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const axe = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What axe calls serious or critical in the page as it is: the rule and the elements. Injected past the page's
 * Content-Security-Policy. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate<readonly string[]>(`axe.run(document).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("; ")))`);
}

/** Elements that reach beyond the right edge of the window. Those that only screen readers read do not count. */
export function overflowing(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    const isInScrolled = (element) => element.parentElement?.closest("pre, .unseen, .skip, thead") != null;
    const wide = [...document.querySelectorAll("body *")]
      .filter((element) => !isInScrolled(element) && element.getBoundingClientRect().right > width + 1)
      .map((element) => element.tagName + "." + element.getAttribute("class") + " reaches " + element.getBoundingClientRect().right);
    return document.documentElement.scrollWidth > width ? ["the page scrolls sideways", ...wide] : wide;
  })()`);
}

/** Texts that are cut off by their own box, or that lie on top of the next sibling's. */
export function overlapping(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const faults = [];
    for (const element of document.querySelectorAll("main *, nav *, header *")) {
      if (element.closest(".unseen, .skip, thead, pre, svg, .plot, dialog") || element.clientWidth === 0) continue;
      const style = getComputedStyle(element);
      if (style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1) faults.push("cut off: " + element.outerHTML.slice(0, 120));
      const next = element.nextElementSibling;
      if (next === null || style.display === "inline" || getComputedStyle(next).display === "inline") continue;
      const [a, b] = [element.getBoundingClientRect(), next.getBoundingClientRect()];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const isPlaced = [style.position, getComputedStyle(next).position].some((position) => position === "absolute" || position === "fixed");
      if (!isPlaced && across > 2 && down > 2) faults.push("overlap: " + element.outerHTML.slice(0, 80) + " and " + next.outerHTML.slice(0, 80));
    }
    return faults;
  })()`);
}
