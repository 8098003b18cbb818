import { nowMs } from "./agent-protocol.ts";

/** An agent's clock as this process sees it. */
export interface Clock {
  /** What is added to a time of this process to get the agent's, in ms. Wrong by at most half of the round trip. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

const rounds = 8;

/** Asks for the agent's time a few times; the fastest response tells most. */
export async function measureClock(ask: () => Promise<unknown>): Promise<Clock> {
  let best: Clock = { offsetMs: 0, roundTripMs: Infinity };
  for (let round = 0; round < rounds; round++) {
    const askedAtMs = nowMs();
    const reply = await ask();
    const roundTripMs = nowMs() - askedAtMs;
    const theirsMs = typeof reply === "object" && reply !== null ? Number(Reflect.get(reply, "nowMs")) : Number.NaN;
    if (!Number.isFinite(theirsMs)) throw new TypeError("expected the time of an agent in nowMs");
    if (roundTripMs < best.roundTripMs) best = { offsetMs: theirsMs - (askedAtMs + roundTripMs / 2), roundTripMs };
  }
  return best;
}
