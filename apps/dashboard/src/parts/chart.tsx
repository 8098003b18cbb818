import uPlot from "uplot";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { scheme } from "../shell/theme.tsx";
import { numberText } from "./format.ts";

/** The same colour in every chart: style.css. */
type Meaning = "accepted" | "stored" | "ranked" | "waiting" | "to-drain" | "replica-lag";

/** Each line of a chart also has another dash, so that colour is not the only difference. */
interface Line {
  readonly label: string;
  readonly meaning: Meaning;
  /** One for each time; null: unknown. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]] as const;
const height = 170;

/** Curves over time, drawn by uPlot. The legend has the values at the pointer, else the newest ones. */
export function Chart({ title, unit, times, lines }: ChartProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [pointed, setPointed] = useState<number | null>(null);
  const labels = lines.map(({ label }) => label).join("\n");
  const colors = scheme.value;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const drawn = new uPlot(optionsOf(element, labels.split("\n"), setPointed), dataOf(times, lines), element);
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
    // New data go to the plot that is there, below.
  }, [labels, colors]);

  useEffect(() => plot.current?.setData(dataOf(times, lines)), [times, lines]);

  const shown = pointed ?? times.length - 1;
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>
        {title} <span class="unit">{unit}</span>
      </figcaption>
      <ul class="legend">
        {lines.map(({ label, meaning, values }, index) => (
          <li key={label}>
            <svg viewBox="0 0 26 6" aria-hidden="true">
              <line x1="0" y1="3" x2="26" y2="3" class={`line-${meaning}`} stroke-dasharray={dashOf(index).join(" ")} />
            </svg>
            {label} <b>{numberText(values[shown])}</b>
          </li>
        ))}
      </ul>
      <div ref={box} class="plot" aria-hidden="true" />
    </figure>
  );
}

const dashOf = (index: number): number[] => [...(dashes[index % dashes.length] ?? [])];

function dataOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

function optionsOf(
  element: HTMLElement,
  labels: readonly string[],
  point: (index: number | null) => void,
): uPlot.Options {
  // A canvas cannot use CSS variables, so the colours are those of elements.
  const { color, borderBottomColor } = getComputedStyle(element);
  const strokes = [...(element.parentElement?.querySelectorAll(".legend line") ?? [])].map(
    (line) => getComputedStyle(line).stroke,
  );
  const axis: uPlot.Axis = {
    stroke: color,
    font: "12px system-ui, sans-serif",
    grid: { stroke: borderBottomColor, width: 1 },
    ticks: { stroke: borderBottomColor, width: 1 },
  };
  return {
    width: element.clientWidth,
    height,
    // Half of the last time, "20:15:00", needs 25 px at the right. null: uPlot's own padding.
    padding: [null, 32, null, null],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    hooks: { setCursor: [(plot) => point(plot.cursor.idx ?? null)] },
    scales: {
      x: { time: true },
      y: { range: (_plot, _low, high) => [0, Math.max(1, high) * 1.1] },
    },
    axes: [
      { ...axis, size: 30, space: 85, values: clockTimes },
      { ...axis, size: 56, values: (_plot, splits) => splits.map((split) => numberText(split)) },
    ],
    series: [
      {},
      ...labels.map((label, index) => ({
        label,
        stroke: strokes[index] ?? color,
        width: 2,
        dash: dashOf(index),
        points: { show: false },
      })),
    ],
  };
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const clockTimes = (_plot: uPlot, splits: readonly number[]): string[] =>
  splits.map((split) => clock.format(split * 1000));
