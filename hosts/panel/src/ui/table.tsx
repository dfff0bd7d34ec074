/** A table that becomes a list of cards on a phone, with the column name in each cell. */

import type { ComponentChildren } from "preact";
import { texts } from "../i18n";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /** `main` names the row, `actions` contains its buttons, `plain` shows no column name on a phone. */
  kind?: "main" | "actions" | "plain";
  /** Numbers are right-aligned. */
  right?: boolean;
  class?: string | ((row: Row) => string);
}

interface Props<Row> {
  columns: readonly (Column<Row> | null)[];
  rows: readonly Row[];
  id: (row: Row) => string | number;
  /** The layout of the cards on a phone. */
  class?: string;
  label: string;
}

export function Table<Row>(props: Props<Row>) {
  const columns = props.columns.filter((column) => column !== null);
  return (
    <div class="table-box">
      <table class={`table ${props.class ?? ""}`} aria-label={props.label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={column.right === true ? "right" : undefined}>
                {column.kind === "actions" ? (
                  <span class="unseen">{column.head}</span>
                ) : (
                  column.head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.id(row)}>
              {columns.map((column) => (
                <td
                  key={column.head}
                  class={classOf(column, row)}
                  data-label={column.kind === undefined ? column.head : undefined}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>(column: Column<Row>, row: Row): string {
  const extra = typeof column.class === "function" ? column.class(row) : column.class;
  const kind =
    column.kind === "main" ? "main-cell" : column.kind === "actions" ? "actions-cell" : "";
  return [kind, column.right === true || column.kind === "actions" ? "right" : "", extra ?? ""]
    .filter(Boolean)
    .join(" ");
}

/** Creates the column of a row's buttons. */
export function actionsColumn<Row>(cell: (row: Row) => ComponentChildren): Column<Row> {
  return { head: texts.value.common.actions, kind: "actions", cell };
}
