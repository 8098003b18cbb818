import { useGet } from "../../live/use-get.ts";
import { useWatch } from "../../live/use-watch.ts";
import { timeText } from "../../parts/format.ts";
import { Heading } from "../../parts/heading.tsx";
import { LivePanel } from "../../parts/live-panel.tsx";
import { Message } from "../../parts/message.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { goTo } from "../../route/route.ts";
import { Comparison } from "./comparison.tsx";
import { RunCurves } from "./run-curves.tsx";
import { highestOf } from "./seconds.ts";
import type { Report } from "./figures.ts";

/** An entry of GET /runs, newest first. */
export interface Run {
  readonly file: string;
  readonly kind: "bench" | "drill";
  readonly at: string;
  readonly title: string;
}

interface RunsViewProps {
  /** The files of the runs that are shown. */
  readonly first: string | undefined;
  readonly second: string | undefined;
}

/** Reports of the bench and of the fault drill; two of them side by side. */
export function RunsView({ first, second }: RunsViewProps) {
  const live = useWatch<{ readonly runs: readonly Run[] }>("/runs");
  const runs = live.body?.runs ?? [];
  const chosen = [first, second].filter((file) => file !== undefined);
  const titleOf = (file: string): string => {
    const run = runs.find((one) => one.file === file);
    return run === undefined ? file : `${timeText(Date.parse(run.at))}, ${run.title}`;
  };
  return (
    <>
      <Heading text="Runs" />
      <LivePanel title="Reports of bench and drill" live={live} wide>
        {() => <List runs={runs} chosen={chosen} />}
      </LivePanel>
      {chosen.length > 0 && <Chosen key={chosen.join()} files={chosen} titleOf={titleOf} />}
    </>
  );
}

function List({ runs, chosen }: { readonly runs: readonly Run[]; readonly chosen: readonly string[] }) {
  if (runs.length === 0) {
    return (
      <Message kind="empty">
        No report is stored yet. <code>pnpm bench</code> and <code>pnpm chaos</code> store one of each run.
      </Message>
    );
  }
  const choose = (file: string, isChosen: boolean): void => {
    // A third one takes the place of the second.
    const [a, b] = isChosen ? [...chosen.slice(0, 1), file] : chosen.filter((one) => one !== file);
    goTo(["runs"], { a, b });
  };
  const columns: readonly Column<Run>[] = [
    { title: "Run", cell: ({ at }) => timeText(Date.parse(at)) },
    {
      title: "Show",
      cell: ({ file, title, at }) => (
        <input
          type="checkbox"
          aria-label={`Show ${title} of ${timeText(Date.parse(at))}`}
          checked={chosen.includes(file)}
          onChange={({ currentTarget: { checked } }) => choose(file, checked)}
        />
      ),
    },
    { title: "Kind", cell: ({ kind }) => kind },
    { title: "What", cell: ({ title }) => title },
  ];
  return (
    <>
      <p class="hint">Choose one to see its figures, or two to see them side by side.</p>
      <Table title="Reports" rows={runs} keyOf={({ file }) => file} columns={columns} />
    </>
  );
}

interface ChosenProps {
  readonly files: readonly string[];
  readonly titleOf: (file: string) => string;
}

function Chosen({ files, titleOf }: ChosenProps) {
  const [a, b] = [useReport(files[0]), useReport(files[1])];
  const problem = a.problem ?? b.problem;
  if (problem !== undefined) return <Message kind="problem">{problem}</Message>;
  const reports = [a, b].slice(0, files.length).map(({ body }) => body);
  if (reports.includes(undefined)) return <Message kind="waiting">Loading…</Message>;
  const titled = reports.map((report, index) => ({ report, title: titleOf(files[index] ?? "") }));
  const highest = highestOf(reports);
  return (
    <div class="panels">
      <Panel title={titled.length === 2 ? "Side by side" : (titled[0]?.title ?? "")} wide>
        <Comparison runs={titled} />
      </Panel>
      {titled.map(({ report, title }, index) => (
        <RunCurves
          key={files[index]}
          report={report}
          highest={highest}
          title={titled.length === 2 ? `${"AB"[index] ?? ""}: ${title}` : title}
        />
      ))}
    </div>
  );
}

const useReport = (file: string | undefined) =>
  useGet<Report>(file === undefined ? undefined : `/runs/${encodeURIComponent(file)}`);
