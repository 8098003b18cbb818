import { eventIdOfKey, newEventId, type Domain, type Event } from "@tally/contract";

/** The events of the examples in a domain's routes, each with its id. */
export function exampleEvents({ routes }: Domain): readonly Event[] {
  return routes.flatMap((route): readonly Event[] => {
    switch (route.kind) {
      case "ingest":
        return Object.values(route.examples).map(({ params = {}, body, idempotencyKey: key }) =>
          route.toEvent(
            idOf(key, () => route.scope(params, body)),
            params,
            body,
          ),
        );
      case "bulk":
        return Object.values(route.examples).flatMap(({ entries }) =>
          entries.map((entry) =>
            route.toEvent(
              idOf(route.key(entry), () => route.scope(entry)),
              entry,
            ),
          ),
        );
      case "form":
        return Object.values(route.examples).map(({ params = {}, form, idempotencyKey: key }) =>
          route.toEvent(
            idOf(key, () => route.scope(params)),
            params,
            Object.fromEntries(Object.entries(form).map(partOf)),
          ),
        );
    }
  });
}

const idOf = (key: string | undefined, scope: () => string) =>
  key === undefined ? newEventId() : eventIdOfKey(scope(), key);

function partOf([name, value]: readonly [string, unknown]) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return [name, { bytes: Buffer.from(text), type: "text/plain" }] as const;
}
