import { keyedRead, type FeedEvent, type WatchSources } from "@tally/contract";
import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import { ruleNames } from "./alert-rules.ts";
import { listOf } from "./store.ts";

const OfAlert = {
  rule: Type.Enum(ruleNames),
  storeID: Type.Optional(Type.Integer()),
  itemID: Type.Optional(Type.Integer()),
  text: Type.String(),
};

/** `sinceMs`: when it was found first. `lastMs`, `usual`: of a silent store. */
const AlertOf = Type.Object({
  ...OfAlert,
  sinceMs: Type.Integer(),
  lastMs: Type.Optional(Type.Integer()),
  usual: Type.Optional(Type.Integer()),
});
export type Alert = Static<typeof AlertOf>;
const isAlerts = Compile(Type.Array(AlertOf));

export interface FoundAlerts {
  readonly foundAt: number;
  readonly alerts: readonly Alert[];
}

/** What the newest look has found; undefined: there was none. */
export const alertsRead = keyedRead<readonly [], { foundAt: number; alerts: string }, FoundAlerts | undefined>({
  select: "SELECT found_at AS foundAt, alerts FROM sales_alerts WHERE id = 1",
  values: () => [],
  ofRows: ([row]) => row && { foundAt: row.foundAt, alerts: listOf(isAlerts, row.alerts) },
});

// Row 2 has the alerts that were told. Without it all alerts that are on are told, with the ids that they had before. An
// earlier release does not change it, and neither does a ranker without a feed.
const selectTold = "SELECT alerts FROM sales_alerts WHERE id = 2";
const upsertAlerts = `
  INSERT INTO sales_alerts (id, found_at, alerts) VALUES ?
  ON DUPLICATE KEY UPDATE found_at = VALUES(found_at), alerts = VALUES(alerts)`;
const upsertEvents = "INSERT INTO alert_events (id, noted_at, event) VALUES ? ON DUPLICATE KEY UPDATE id = VALUES(id)";
const forgetTold = "DELETE FROM sales_alerts WHERE id = 2";
const deleteOld = "DELETE FROM alert_events WHERE noted_at < ?";
// While no broker takes them.
const eventsKeptMs = 7 * 86_400_000;

/** Notes what a look has found after `before`, and with a feed the events of what differs from the alerts told
 * before: `tellAlerts` publishes them. Of two looks at once the first one counts. `foundAt`: when the sales were last
 * looked at. */
export async function noteAlerts(
  { nowMs, transaction, publish }: WatchSources,
  before: FoundAlerts | undefined,
  found: readonly Omit<Alert, "sinceMs">[],
  foundAt = nowMs,
): Promise<readonly Alert[]> {
  const known = new Map(before?.alerts.map((one) => [nameOf(one), one]));
  const alerts = found.map((one): Alert => ({ ...one, sinceMs: known.get(nameOf(one))?.sinceMs ?? nowMs }));
  await transaction(async (tx) => {
    const [newest] = await tx.query<{ foundAt: number }>(`${alertsRead.select} FOR UPDATE`);
    if (newest?.foundAt !== before?.foundAt) return;
    await tx.upsert(upsertAlerts, [[1, foundAt, JSON.stringify(alerts)]]);
    if ((await tx.execute(deleteOld, [nowMs - eventsKeptMs])) > 0) await tx.execute(forgetTold);
    if (publish === undefined) return;
    const [row = { alerts: "[]" }] = await tx.query<{ alerts: string }>(selectTold);
    const told = new Map(listOf(isAlerts, row.alerts).map((one) => [idOf(one), one]));
    const events = alerts.filter((one) => !told.delete(idOf(one))).map((one) => eventOf(one, "on", nowMs));
    for (const over of told.values()) events.push(eventOf(over, "off", nowMs));
    if (events.length === 0) return;
    await tx.upsert(upsertAlerts, [[2, nowMs, JSON.stringify(alerts)]]);
    const rows = events.map((event) => [event.id, nowMs, JSON.stringify(event)]);
    await tx.upsert(upsertEvents, rows);
  });
  return alerts;
}

const nameOf = ({ rule, storeID, itemID }: Omit<Alert, "sinceMs">) => `${rule}:${storeID ?? ""}:${itemID ?? ""}`;
const idOf = (alert: Alert) => `${nameOf(alert)}:${alert.sinceMs}`;

export const alertType = "tally.purchases.alert.v1";
/** The `data` of its event. */
export const ShownAlert = Type.Object({
  ...OfAlert,
  state: Type.Enum(["on", "off"]),
  since: Type.String({ format: "date-time" }),
});

function eventOf(alert: Alert, state: "on" | "off", atMs: number): FeedEvent {
  const { sinceMs, lastMs: _, usual: _usual, ...shown } = alert;
  return {
    id: `${idOf(alert)}:${state}`,
    type: alertType,
    subject: String(alert.storeID ?? alert.itemID),
    time: new Date(atMs).toISOString(),
    data: { ...shown, state, since: new Date(sinceMs).toISOString() },
  };
}

const Text = Type.String();
const isEvents = Compile(
  Type.Array(Type.Object({ id: Text, type: Text, subject: Text, time: Text, data: ShownAlert })),
);
// Less than 4 MB.
const eventsOfMessage = 5000;
const selectEvents = "SELECT id, event FROM alert_events ORDER BY noted_at LIMIT ?";
const deleteEvents = "DELETE FROM alert_events WHERE id IN (?)";

/** Publishes noted events, and then forgets them: after a crash in between, the next look publishes them again. */
export async function tellAlerts({ rows, transaction, publish }: WatchSources): Promise<void> {
  if (publish === undefined) return;
  const noted = await rows.query<{ id: string; event: string }>(selectEvents, [eventsOfMessage]);
  const events = listOf(isEvents, `[${noted.map(({ event }) => event).join(",")}]`);
  if (events.length === 0 || !(await publish(events))) return;
  await transaction((tx) => tx.execute(deleteEvents, [noted.map(({ id }) => id)]));
}
