import type { ComponentChildren } from "preact";
import { Message } from "./panel.tsx";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly isNumber?: boolean;
}

export interface TableProps<T> {
  /** For screen readers. */
  readonly title: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  /** In place of a table without rows. */
  readonly empty?: string;
  /** It fits a phone as it is. */
  readonly isNarrow?: boolean;
}

/** On a phone each row becomes a block of lines with the column's name, unless the table is narrow. The roles are
 * written out, because a browser forgets those of a table that is laid out as blocks. */
export function Table<T>({ title, rows, keyOf, columns, empty, isNarrow = false }: TableProps<T>) {
  if (rows.length === 0 && empty !== undefined) return <Message kind="empty">{empty}</Message>;
  return (
    <table role="table" aria-label={title} class={isNarrow ? "narrow" : "wide-table"}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.title} role="columnheader" scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, rowIndex) => (
          <tr key={keyOf(row, rowIndex)} role="row">
            {columns.map((column, index) =>
              index === 0 ? (
                <th key={column.title} role="rowheader" scope="row" data-title={column.title}>
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.title} role="cell" data-title={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const classOf = ({ isNumber = false }: { readonly isNumber?: boolean }): string => (isNumber ? "number" : "");
