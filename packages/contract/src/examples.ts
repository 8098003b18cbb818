import type { Domain } from "./domain.ts";
import type { Event } from "./encoded-event.ts";
import { eventIdOfKey, newEventId } from "./event-id.ts";

/** The events of each example of a route, with their ids: one, or of a bulk request one for each entry. */
export function exampleEvents(route: Domain["routes"][number]): Readonly<Record<string, readonly Event[]>> {
  return Object.fromEntries(eventsOf(route));
}

type Events = readonly (readonly [example: string, events: readonly Event[]])[];

function eventsOf(route: Domain["routes"][number]): Events {
  switch (route.kind) {
    case "ingest":
      return Object.entries(route.examples).map(([name, { params = {}, body, idempotencyKey: key }]) => {
        const id = idOf(key, () => route.scope(params, body));
        return [name, [route.toEvent(id, params, body)]];
      });
    case "form":
      return Object.entries(route.examples).map(([name, { params = {}, form, idempotencyKey: key }]) => {
        const id = idOf(key, () => route.scope(params));
        return [name, [route.toEvent(id, params, Object.fromEntries(Object.entries(form).map(partOf)))]];
      });
    case "bulk": {
      const eventOf = (entry: unknown): Event => {
        const id = idOf(route.key(entry), () => route.scope(entry));
        return route.toEvent(id, entry);
      };
      return Object.entries(route.examples).map(([name, { entries }]) => [name, entries.map(eventOf)]);
    }
  }
}

const idOf = (key: string | undefined, scope: () => string) =>
  key === undefined ? newEventId() : eventIdOfKey(scope(), key);

function partOf([name, value]: readonly [string, unknown]) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return [name, { bytes: Buffer.from(text), type: "text/plain" }] as const;
}
