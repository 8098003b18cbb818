import { escaped } from "../page/escaped.ts";
import { htmlDocument } from "../page/html-document.ts";

const own = (file: string): string => new URL(file, import.meta.url).href;

/** A page of docs/results. `runs`: what its plots show; undefined: it has none. */
export function resultPage(title: string, body: string, runs?: object): Promise<string> {
  const plots = runs === undefined ? {} : { plots: { id: "runs", data: runs, script: own("results.js") } };
  return htmlDocument({ title, body, style: own("results.css"), ...plots });
}

/** Escaped, with text between backticks as code. */
export function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
