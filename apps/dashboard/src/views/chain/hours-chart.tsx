import type { BodyOf } from "../../live/use-watch.ts";
import { numberText } from "../../parts/format.ts";
import { Message } from "../../parts/panel.tsx";
import { figureText, type Sold } from "./comparison.ts";

interface HoursChartProps {
  readonly title: string;
  readonly hours: BodyOf<"/chain/sales">["hours"];
  readonly shown: keyof Sold;
}

const hourOf = (from: string): string =>
  new Date(from).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

/** What was sold in each hour of the day, in the browser's time zone, with a line at what it was a week ago. */
export function HoursChart({ title, hours, shown }: HoursChartProps) {
  const most = Math.max(...hours.flatMap((hour) => [hour, hour.weekAgo].map((sold) => Number(sold?.[shown] ?? 0))));
  if (most <= 0) return <Message kind="empty">Nothing was sold yet.</Message>;
  const shareOf = (figure: string | number | undefined): string =>
    `${Math.max(0, (100 * Number(figure ?? 0)) / most)}%`;
  // Not 0 in a zone with half hours.
  const minutes = new Date(hours[0]?.from ?? 0).getMinutes();
  return (
    <div class="chart">
      <div class="scaled">
        <ol class="hours plot" aria-label={title}>
          {hours.map((hour) => (
            <li key={hour.from} title={`${hourOf(hour.from)}: ${figureText(hour, shown)}`}>
              <span class="unseen">
                {hourOf(hour.from)}: {figureText(hour, shown)}, a week ago {figureText(hour.weekAgo, shown)}
              </span>
              <span class="fill" aria-hidden="true" style={{ height: shareOf(hour[shown]) }} />
              {hour.weekAgo !== undefined && (
                <span class="then" aria-hidden="true" style={{ bottom: shareOf(hour.weekAgo[shown]) }} />
              )}
              <span class="label" aria-hidden="true">
                {hourOf(hour.from).slice(0, 2)}
              </span>
            </li>
          ))}
        </ol>
        <p class="scale" aria-hidden="true">
          <span>{numberText(most)}</span>
          <span>0</span>
        </p>
      </div>
      <p class="aside">
        Columns: today, with a line at what it was a week ago. Each hour begins{" "}
        {minutes === 0 ? "at" : `${minutes} min after`} the time below it.
      </p>
    </div>
  );
}
