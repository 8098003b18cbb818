import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { feed, type Watched } from "./live-feed.ts";
import type { Status } from "@tally/telemetry";

export interface Live<T> extends Watched {
  readonly body?: T;
}

const unwatched: Watched = {};

/** Keeps the response of a GET route current. undefined: watches nothing. The component renders at each change. */
export function useWatch<T>(path: string | undefined): Live<T> {
  const [held, setHeld] = useState<{ readonly path: string; readonly value: Watched }>();
  useEffect(() => {
    if (path === undefined) return;
    const { value, release } = feed.watch(path);
    const unsubscribe = value.subscribe((next) => setHeld({ path, value: next }));
    return () => {
      unsubscribe();
      release();
    };
  }, [path]);
  const value = held?.path === path ? held?.value : undefined;
  // The gateway serves page and data in one version, so a body has the type of its route.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (value ?? unwatched) as Live<T>;
}

interface Moment {
  /** Seconds since 1970. */
  readonly second: number;
  readonly accepted: number;
  readonly stored: number;
  readonly ranked: number;
  /** Events in the queues and in threads; null while the broker is down. */
  readonly waiting: number | null;
  readonly secondsToDrain: number | null;
  readonly replicaLagMs: number | null;
}

const momentsMax = 300;

/** The last 5 minutes, as far as the page was open, oldest first. */
export const history = signal<readonly Moment[]>([]);

/** At most one for each second. */
export function recordStatus({ at, domains, secondsToDrain, replicaLagMs }: Status): void {
  const second = Math.floor(Date.parse(at) / 1000);
  const newest = history.value.at(-1);
  if (newest !== undefined && second <= newest.second) return;
  const sum = (hop: "accepted" | "stored" | "ranked"): number =>
    domains.reduce((total, domain) => total + domain[hop].perSecond, 0);
  const moment = {
    second,
    accepted: sum("accepted"),
    stored: sum("stored"),
    ranked: sum("ranked"),
    waiting: waitingOf(domains),
    secondsToDrain,
    replicaLagMs,
  };
  history.value = [...history.value.slice(1 - momentsMax), moment];
}

/** Events in the queues of these domains and in threads; null: unknown for one of them. */
export function waitingOf(domains: Status["domains"]): number | null {
  const queues = domains.flatMap(({ queues: { ingest, rank } }) => [ingest.events, rank.events]);
  return queues.reduce((sum, events) => (sum === null || events === null ? null : sum + events), 0);
}
