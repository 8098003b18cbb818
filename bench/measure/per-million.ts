import { latencyOf, round } from "./latency.ts";
import type { PhaseResult } from "./load/load-plan.ts";
import type { Observation } from "./watch/watch.ts";
import { eachTier, tierNames } from "./watch/tiers.ts";

/** `startedAt`: a time of performance.now(). */
interface Load {
  readonly result: Pick<PhaseResult, "parts">;
  readonly observations: readonly Observation[];
  readonly startedAt: number;
}

export type Million = ReturnType<typeof perMillion>[number];

/** How a long load went: the figures of each million of accepted events. CPU in µs for each event; memory, disk since the
 * first million and keys at its end. Known to half a second. */
export function perMillion({ result, observations, startedAt }: Load) {
  const at = (seconds: number) =>
    observations.find((one) => one.at >= startedAt + seconds * 1000) ?? observations.at(-1);
  const [first] = observations;
  return result.parts.map(({ events, seconds, posts }, index) => {
    const began = result.parts[index - 1]?.seconds ?? 0;
    const [before, after] = [at(began), at(seconds)];
    const cpuUs = eachTier((tier) => {
      const used = (after?.tiers[tier].cpuSeconds ?? 0) - (before?.tiers[tier].cpuSeconds ?? 0);
      return round((used * 1e6) / events, 1);
    });
    const { p50 = 0, p99 = 0, p999 = 0 } = latencyOf(posts) ?? {};
    return {
      perSecond: round(events / (seconds - began), 0),
      p50,
      p99,
      p999,
      cpuUs: {
        ...cpuUs,
        total: round(
          tierNames.reduce((sum, tier) => sum + cpuUs[tier], 0),
          1,
        ),
      },
      memoryMiB: eachTier((tier) => Math.round(after?.tiers[tier].memoryMiB ?? 0)),
      diskMiB: Math.round((after?.diskMiB ?? 0) - (first?.diskMiB ?? 0)),
      redisKeys: after?.redisKeys ?? null,
    };
  });
}

const columns: readonly (readonly [name: string, of: (million: Million) => string | number])[] = [
  ["/s", ({ perSecond }) => perSecond],
  ["p50", ({ p50 }) => p50.toFixed(1)],
  ["p99", ({ p99 }) => p99.toFixed(1)],
  ["p99.9", ({ p999 }) => p999.toFixed(1)],
  ...[...tierNames, "total" as const].map((tier) => [`${tier} µs`, ({ cpuUs }: Million) => cpuUs[tier]] as const),
  ...tierNames.map((tier) => [`${tier} MiB`, ({ memoryMiB }: Million) => memoryMiB[tier]] as const),
  ["disk MiB", ({ diskMiB }) => diskMiB],
  ["keys", ({ redisKeys }) => redisKeys ?? "unknown"],
];

/** A line for each million, as a table in Markdown; none for a short load. */
export function millionsTable(millions: readonly Million[]): readonly string[] {
  if (millions.length < 2) return [];
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return [
    "",
    line(["million", ...columns.map(([name]) => name)]),
    line(Array(columns.length + 1).fill("---")),
    ...millions.map((one, index) => line([index + 1, ...columns.map(([, of]) => of(one))])),
  ];
}

const [width, height, left] = [880, 120, 60];

/** An SVG with a curve for each figure, from 0 to its highest value. */
export function millionsChart(millions: readonly Million[]): string {
  const curves = columns.map(([name, of], row) => {
    const values = millions.map((one) => Number(of(one)) || 0);
    const most = Math.max(1, ...values);
    const points = values.map((value, index) => {
      const x = left + (index / Math.max(1, values.length - 1)) * (width / 2 - left - 20);
      return `${x.toFixed(1)},${(height - 24 - (value / most) * (height - 54)).toFixed(1)}`;
    });
    const place = `translate(${(row % 2) * (width / 2)} ${Math.floor(row / 2) * height})`;
    return `<g transform="${place}"><text x="${left}" y="18">${name}</text><text x="${left - 6}" y="36" class="of">${most.toLocaleString("en")}</text><text x="${left - 6}" y="${height - 22}" class="of">0</text><polyline points="${points.join(" ")}"/></g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${Math.ceil(columns.length / 2) * height}" role="img" aria-label="Figures of each million events">
<style>text{font:12px system-ui,sans-serif;fill:#57606a}.of{text-anchor:end}polyline{fill:none;stroke:#1f6fd0;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#a0a9b5}}</style>
${curves.join("\n")}
</svg>
`;
}
