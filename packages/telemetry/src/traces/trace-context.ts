/** A step of a trace, as W3C Trace Context names it: 32 and 16 lower-case hex digits. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/** A `traceparent` of any version; `isSampled` is its flag. Undefined for anything else, which W3C Trace Context says to ignore. */
export function readTraceparent(text: string): (TraceContext & { readonly isSampled: boolean }) | undefined {
  const [, traceId, spanId, flags, more] = traceparent.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Only later versions may have further fields.
  if (text.startsWith("00") && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag };
}

/** The `traceparent` of a sampled step. */
export function textOfTraceContext({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}
