import type { Spread } from "@tally/domains/workloads";
import type { Sender } from "./sender.ts";

/** The parameters of a load; the workerData of its thread. */
export interface LoadPlan {
  /** The gateways. Each event goes to one of them, and to the next one when that fails. */
  readonly urls: readonly string[];
  /** Names; all get the same share of events. */
  readonly domains: readonly string[];
  readonly eventsPerSecond: number;
  /** No event is started while this many wait for their response. */
  readonly inFlightMax: number;
  /** After its last event a load waits this long for responses before it gives up. */
  readonly finishWithinMs: number;
  readonly seed: number;
  readonly spread: Spread;
  /** Where the files of AcknowledgedFiles are written. */
  readonly directory: string;
}

/** What clients saw during some span of time. */
export type Figures = ReturnType<Sender["figures"]>;

/** What was acknowledged in the whole load, and how its deliberate mistakes ended. */
export type Totals = Awaited<ReturnType<Sender["close"]>> & { readonly seconds: number };

/** What the thread of the load can be called for. */
export interface LoadCalls {
  /** What clients saw since the last call. */
  readonly figures: () => Figures;
  /** Sends one event of each domain to the gateway with this index until all are acknowledged; their ids. */
  readonly probe: (gateway: number) => readonly string[];
  /** While held, the load starts no events but those of `probe`. */
  readonly hold: (isHeld: boolean) => void;
  /** Starts no more events, waits for those in flight, closes the files. */
  readonly finish: () => Totals;
}
