import { workerData } from "node:worker_threads";
import { serveThread } from "../../kit/index.ts";
import { Clients } from "./clients.ts";
import type { Figures, LoadPlan, Totals } from "./sender.ts";

/* The load has its own thread, so that the work of the drill does not delay it. */

export interface LoadCalls {
  /** What clients saw since the last call. */
  readonly figures: () => Figures;
  /** Sends one event of each domain to the gateway with this index until all are acknowledged; their ids. */
  readonly probe: (gateway: number) => readonly string[];
  /** While held, the load starts no events but those of `probe`. */
  readonly hold: (isHeld: boolean) => void;
  /** These acknowledged events exist no more: ends the events that refer to them. */
  readonly forget: (ids: readonly string[]) => void;
  /** Starts no more events, waits for those in flight, closes the files. */
  readonly finish: () => Totals;
}

const plan: LoadPlan = workerData;
const clients = new Clients(plan);

serveThread<LoadCalls>({
  figures: () => clients.figures(),
  probe: (gateway) => clients.probe(gateway),
  hold: (isHeld) => clients.hold(isHeld),
  forget: (ids) => clients.forget(ids),
  finish: () => clients.finish(),
});
