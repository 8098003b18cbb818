import { Table, type Column } from "../../parts/table.tsx";
import { differenceOf, figuresOf, isDisturbed, type Figure, type Report } from "./figures.ts";

interface ComparisonProps {
  /** One or two. */
  readonly runs: readonly { readonly report: Report; readonly title: string }[];
}

interface Row {
  readonly name: string;
  readonly a: Figure | undefined;
  readonly b: Figure | undefined;
}

/** The figures of a run, or of two with their difference. */
export function Comparison({ runs }: ComparisonProps) {
  const [a = [], b = []] = runs.map(({ report }) => figuresOf(report));
  const names = [...new Set([...a, ...b].map(({ name }) => name))];
  const rows = names.map((name) => ({
    name,
    a: a.find((figure) => figure.name === name),
    b: b.find((figure) => figure.name === name),
  }));
  const figure: Column<Row> = { title: "Figure", cell: ({ name }) => name };
  if (runs.length < 2) {
    const columns = [figure, { title: "Value", cell: (row: Row) => row.a?.text ?? "–", isNumber: true }];
    return <Table title="Figures" rows={rows} keyOf={({ name }) => name} columns={columns} isNarrow />;
  }
  const columns: readonly Column<Row>[] = [
    figure,
    { title: "A", cell: (row) => row.a?.text ?? "–", isNumber: true },
    { title: "B", cell: (row) => row.b?.text ?? "–", isNumber: true },
    { title: "B against A", cell: (row) => <Difference row={row} />, isNumber: true },
  ];
  return (
    <>
      <dl class="fields">
        {runs.map(({ title, report }, index) => (
          <div key={index}>
            <dt>{"AB"[index]}</dt>
            <dd>{isDisturbed(report) ? `${title} *` : title}</dd>
          </div>
        ))}
      </dl>
      {runs.some(({ report }) => isDisturbed(report)) && (
        <p class="hint">* disturbed: other processes or the hypervisor took CPU time that the run lacked.</p>
      )}
      <Table title="Figures side by side" rows={rows} keyOf={({ name }) => name} columns={columns} isNarrow />
    </>
  );
}

function Difference({ row: { a, b } }: { readonly row: Row }) {
  const difference = a === undefined || b === undefined ? undefined : differenceOf(a, b);
  if (difference === undefined) return <>–</>;
  const { text, isBetter } = difference;
  if (isBetter === undefined) return <>{text}</>;
  return <span class={isBetter ? "state good" : "state bad"}>{`${text} ${isBetter ? "better" : "worse"}`}</span>;
}
