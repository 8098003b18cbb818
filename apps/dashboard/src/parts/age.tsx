import { now } from "../live/clock.ts";
import { spanText, timeText } from "./format.ts";

interface AgeProps {
  /** In ms since 1970. */
  readonly at: number;
  /** Also the time of day. */
  readonly withTime?: boolean;
}

/** How long ago something was: "3 s ago". */
export function Age({ at, withTime = false }: AgeProps) {
  return (
    <time dateTime={new Date(at).toISOString()} title={timeText(at)}>
      {withTime && `${timeText(at)}, `}
      {now.value - at < 1000 ? "just now" : `${spanText(now.value - at)} ago`}
    </time>
  );
}
