import type { BodyOf } from "../../live/use-watch.ts";
import { timeText } from "../../parts/format.ts";
import { labelOf } from "../boards/boards.ts";

export type Sales = BodyOf<"/chain/sales">;

// A ranker looks each minute.
const oldMs = 5 * 60_000;
const namedMax = 3;

/** What it means that no alert is on. A store is silent compared with a week before. */
export const noneText = ({ weekAgo }: Sales): string =>
  weekAgo === undefined
    ? "No alert is on. Silent stores are known once there are sales of a week ago."
    : "No store is silent, and no alert is on.";

/** How many there are: "200 or more" where the gateway names no more of a rule. */
function countOf(alerts: Sales["alerts"]): number | string {
  const isCut = [...Map.groupBy(alerts, ({ rule }) => rule).values()].some(({ length }) => length >= 200);
  return isCut ? `${alerts.length} or more` : alerts.length;
}

/** How many alerts there are, and of what kind. undefined: no ranker has looked for 5 minutes. */
export function attentionOf(sales: Sales | undefined, nowMs: number) {
  if (sales === undefined) return { count: undefined, text: "loading" };
  const { alerts, alertsAsOf } = sales;
  const lookedAt = alertsAsOf === null ? undefined : Date.parse(alertsAsOf);
  if (lookedAt === undefined) return { count: undefined, text: "not looked for yet" };
  if (nowMs - lookedAt > oldMs) return { count: undefined, text: `not looked for since ${timeText(lookedAt)}` };
  const count = countOf(alerts);
  if (count === 0) return { count, text: noneText(sales) };
  const ofRule = (rule: string) => alerts.filter((one) => one.rule === rule);
  const [silent, doubtful] = [ofRule("silent"), ofRule("dates")];
  const others = alerts.filter(({ rule }) => rule !== "silent" && rule !== "dates");
  const named = [...silent, ...doubtful].slice(0, namedMax);
  const names = named.map(({ storeID, name }) => `store ${labelOf(storeID ?? "", name)}`).join(", ");
  const more = alerts.length > named.length ? ", …" : "";
  const text = `${countOf(silent)} silent, ${countOf(doubtful)} with wrong dates, ${countOf(others)} other`;
  return { count, text: names === "" ? text : `${text}: ${names}${more}` };
}
