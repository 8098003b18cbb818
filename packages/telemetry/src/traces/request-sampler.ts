import { readTraceparent, type TraceContext } from "./trace-context.ts";

/** A request whose trace is recorded. Without a parent its trace begins here. */
interface Sampled {
  readonly parent: TraceContext | undefined;
}

/** Decides by the `traceparent` header of a request, as Node returns it. Undefined: not sampled. */
export type RequestSampler = (traceparent: string | readonly string[] | undefined) => Sampled | undefined;

// Each traced event writes four log lines, or spans. A client that samples all of its requests must not slow the others down.
const requestedPerSecondMax = 50;

/**
 * Samples requests whose `traceparent` says so, at most 50 a second, and of those without one each with a probability of 1/`oneIn`; 0: none.
 * Then a request without the header costs one comparison.
 */
export function requestSampler(oneIn: number): RequestSampler {
  let second = 0;
  let sampled = 0;
  const requested = (header: string | readonly string[]): Sampled | undefined => {
    const found = sampledParent(header);
    if (found === undefined) return undefined;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, sampled] = [now, 0];
    return sampled++ < requestedPerSecondMax ? found : undefined;
  };
  if (oneIn === 0) return (header) => (header === undefined ? undefined : requested(header));
  return (header) => {
    if (header !== undefined) return requested(header);
    return Math.random() * oneIn < 1 ? { parent: undefined } : undefined;
  };
}

function sampledParent(header: string | readonly string[]): Sampled | undefined {
  const parent = typeof header === "string" ? readTraceparent(header) : undefined;
  return parent?.isSampled === true ? { parent: { traceId: parent.traceId, spanId: parent.spanId } } : undefined;
}
