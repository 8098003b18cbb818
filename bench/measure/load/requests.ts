import { type ClientRequest, mixSeed, Random, type Workload } from "../../kit/index.ts";
import type { LoadPlan } from "./load-plan.ts";

/** The seed of one of several threads. The first has `seed` itself; different seeds have different thread seeds. */
export function seedOfThread(seed: number, index: number): number {
  return index === 0 ? seed : mixSeed(mixSeed(seed) + index);
}

/** Returns the next request. `eventId`: from the response to the connection's last request, if it was 2xx. */
export type NextRequest = (eventId?: string) => ClientRequest;

/** Endless, the same for a seed, apart from requests for the event that the same connection has just posted. */
export function requestsOf(
  { seed, readShare, spread, contentBytes, isPriced }: LoadPlan,
  workload: Workload,
): NextRequest {
  const random = new Random(seed).fraction;
  return (eventId) =>
    readShare > 0 && random() < readShare
      ? { method: "GET", path: workload.read(random, spread) }
      : workload.next(random, spread, { eventId, contentBytes, isPriced });
}

/** One of several nearly equal parts of a whole number; they add up to it. */
export function share(whole: number, index: number, parts: number): number {
  return Math.floor(whole / parts) + (index < whole % parts ? 1 : 0);
}
