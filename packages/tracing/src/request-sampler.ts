import { readTraceparent, type TraceContext } from "./trace-context.ts";

/** A request whose trace is recorded. Without a parent its trace begins here. */
interface Sampled {
  readonly parent: TraceContext | undefined;
}

/** Decides by the `traceparent` header of a request, as Node returns it. Undefined: not sampled. */
export type RequestSampler = (traceparent: string | readonly string[] | undefined) => Sampled | undefined;

/**
 * Samples requests whose `traceparent` says so, and of those without one each with a probability of 1/`oneIn`; 0: none. Then a request
 * without the header costs one comparison.
 */
export function requestSampler(oneIn: number): RequestSampler {
  if (oneIn === 0) return (header) => (header === undefined ? undefined : sampledParent(header));
  return (header) => {
    if (header !== undefined) return sampledParent(header);
    return Math.random() * oneIn < 1 ? { parent: undefined } : undefined;
  };
}

function sampledParent(header: string | readonly string[]): Sampled | undefined {
  const parent = typeof header === "string" ? readTraceparent(header) : undefined;
  return parent?.isSampled === true ? { parent: { traceId: parent.traceId, spanId: parent.spanId } } : undefined;
}
