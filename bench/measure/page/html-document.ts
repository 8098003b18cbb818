import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { escaped } from "./escaped.ts";

interface HtmlDocument {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  /** URL of a style sheet, after page.css. */
  readonly style?: string;
  readonly plots?: Plots;
}

/** The plots of a page: `script` draws `data`, which is the JSON of the element `id`, with plots.js. */
interface Plots {
  readonly id: string;
  readonly data: object;
  /** URL of the script. */
  readonly script: string;
}

/** A page in one file: opens without a network, follows the reader's colour scheme, and prints well. */
export async function htmlDocument({ title, body, style, plots }: HtmlDocument): Promise<string> {
  const styles = [own("page.css"), ...(style === undefined ? [] : [style])];
  if (plots !== undefined) styles.unshift(import.meta.resolve("uplot/dist/uPlot.min.css"));
  const scripts = plots === undefined ? "" : await scriptsOf(plots);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
${(await Promise.all(styles.map(read))).join("\n")}</style>
</head>
<body>
${body}
${scripts}</body>
</html>
`;
}

async function scriptsOf({ id, data, script }: Plots): Promise<string> {
  const library = await read(import.meta.resolve("uplot/dist/uPlot.iife.min.js"));
  const json = JSON.stringify(data).replaceAll("<", String.raw`\u003c`);
  const modules = await Promise.all([own("plots.js"), script].map(read));
  return `<script type="application/json" id="${id}">${json}</script>
<script>${library}</script>
${modules.map((module) => `<script type="module">${module}</script>\n`).join("")}`;
}

const own = (file: string): string => new URL(file, import.meta.url).href;
const read = (url: string): Promise<string> => readFile(fileURLToPath(url), "utf8");
