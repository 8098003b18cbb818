import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const observeFiles = join(import.meta.dirname, "..", "..", "..", "observe");

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly datasource: object;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
}

export function dashboards(): readonly (readonly [file: string, dashboard: Dashboard])[] {
  const folder = join(observeFiles, "grafana", "dashboards");
  return readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(join(folder, file), "utf8"))] as const);
}

const words = new Set(["and", "or", "unless", "bool", "offset", "inf", "nan"]);

/** The names of the metrics in a query of PromQL, each once. */
export function metricsIn(query: string): readonly string[] {
  const rest = query
    .replaceAll(/"[^"]*"/g, "")
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, "")
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right) *\([^)]*\)/g, "")
    .replaceAll(/\bgroup_(left|right)\b/g, "");
  // A name before a parenthesis is a function.
  const names = rest.match(/\b[a-zA-Z_]\w*\b(?! *\()/g) ?? [];
  return [...new Set(names.filter((name) => !words.has(name.toLowerCase())))];
}
