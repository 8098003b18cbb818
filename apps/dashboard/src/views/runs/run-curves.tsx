import { Chart, type Line } from "../../parts/chart.tsx";
import { numberText } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { Table } from "../../parts/table.tsx";
import { valueAt, type Report } from "./figures.ts";

interface RunCurvesProps {
  readonly report: Report;
  readonly title: string;
}

/** Each second of a bench run; each fault of a drill. */
export function RunCurves({ report, title }: RunCurvesProps) {
  const seconds = listAt(report, "perSecond");
  const faults = listAt(report, "faults");
  if (faults.length > 0) {
    return (
      <Panel title={`Faults: ${title}`} wide>
        <Faults faults={faults} />
      </Panel>
    );
  }
  if (seconds.length === 0) return null;
  const times = seconds.map((_second, index) => index);
  const lineOf = (label: string, field: string): Line => ({
    label,
    values: seconds.map((one) => numberAt(one, field)),
  });
  return (
    <Panel title={title}>
      <div class="charts">
        <Chart
          title="Requests a second"
          unit="by second of the run"
          times={times}
          isClockTime={false}
          lines={[lineOf("accepted", "accepted"), lineOf("reads", "read"), lineOf("failed", "failed")]}
        />
        <Chart
          title="Latency"
          unit="ms, by second of the run"
          times={times}
          isClockTime={false}
          lines={[lineOf("p50", "p50"), lineOf("p99", "p99")]}
        />
      </div>
    </Panel>
  );
}

function Faults({ faults }: { readonly faults: readonly unknown[] }) {
  return (
    <Table
      title="Faults"
      rows={faults}
      keyOf={(_fault, index) => String(index)}
      columns={[
        { title: "Fault", cell: (fault) => String(valueAt(fault, "kind")) },
        { title: "Target", cell: (fault) => String(valueAt(fault, "target")) },
        ...(
          [
            ["At, s", "at"],
            ["Accepts again, s", "recovery.accepted"],
            ["Stores again, s", "recovery.stored"],
            ["Ranks again, s", "recovery.ranked"],
            ["Lost", "lost"],
          ] as const
        ).map(([name, path]) => ({
          title: name,
          cell: (fault: unknown) => numberText(numberAt(fault, path)),
          isNumber: true,
        })),
      ]}
    />
  );
}

function listAt(report: Report, path: string): readonly unknown[] {
  const value = valueAt(report, path);
  return Array.isArray(value) ? value : [];
}

function numberAt(value: unknown, path: string): number | null {
  const number = valueAt(value, path);
  return typeof number === "number" ? number : null;
}
