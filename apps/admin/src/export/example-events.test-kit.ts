import { newEventId, type Domain, type Event } from "@tally/contract";

/** The events of the examples in a domain's routes. */
export function exampleEvents({ routes }: Domain): readonly Event[] {
  return routes.flatMap((route): readonly Event[] => {
    switch (route.kind) {
      case "ingest":
        return Object.values(route.examples).map(({ params = {}, body }) => route.toEvent(newEventId(), params, body));
      case "bulk":
        return Object.values(route.examples).flatMap(({ entries }) =>
          entries.map((entry) => route.toEvent(newEventId(), entry)),
        );
      case "form":
        return Object.values(route.examples).map(({ params = {}, form }) =>
          route.toEvent(newEventId(), params, Object.fromEntries(Object.entries(form).map(partOf))),
        );
    }
  });
}

function partOf([name, value]: readonly [string, unknown]) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return [name, { bytes: Buffer.from(text), type: "text/plain" }] as const;
}
