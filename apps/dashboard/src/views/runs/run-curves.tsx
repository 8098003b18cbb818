import { Chart, type Line, type Meaning } from "../../parts/chart.tsx";
import { numberText } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { Table } from "../../parts/table.tsx";
import { valueAt, type Report } from "./figures.ts";
import { latencyFields, listAt, numberAt, requestFields, type Highest } from "./seconds.ts";

interface RunCurvesProps {
  readonly report: Report;
  readonly title: string;
  /** Of all runs that are shown. */
  readonly highest: Highest;
}

/** Each second of a bench run; each fault of a drill. */
export function RunCurves({ report, title, highest }: RunCurvesProps) {
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
  const lineOf = ([meaning, field]: readonly [meaning: Meaning, field: string]): Line => ({
    label: meaning,
    meaning,
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
          lines={requestFields.map(lineOf)}
          reaches={highest.requests}
        />
        <Chart
          title="Latency"
          unit="ms, by second of the run"
          times={times}
          isClockTime={false}
          lines={latencyFields.map(lineOf)}
          reaches={highest.latencyMs}
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
