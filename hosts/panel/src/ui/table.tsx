/** A table that becomes a list of cards on a phone, with the column name in each cell. */

import { Fragment, type ComponentChildren } from "preact";
import { texts } from "../i18n";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /** `main` names the row, `header` also for a screen reader, `actions` contains its buttons, `plain` shows no column name on a phone. */
  kind?: "main" | "header" | "actions" | "plain";
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
  /** Shows the label above the columns. */
  caption?: boolean;
  /** What is open below a row; null for a closed one. */
  below?: (row: Row) => ComponentChildren;
}

export function Table<Row>(props: Props<Row>) {
  const columns = props.columns.filter((column) => column !== null);
  return (
    <div class="table-box">
      <table
        class={`table ${props.class ?? ""}`}
        aria-label={props.caption === true ? undefined : props.label}
      >
        {props.caption === true && <caption>{props.label}</caption>}
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
          {props.rows.map((row) => {
            const below = props.below?.(row) ?? null;
            return (
              <Fragment key={props.id(row)}>
                <tr>
                  {columns.map((column) =>
                    column.kind === "header" ? (
                      <th key={column.head} scope="row" class={classOf(column, row)}>
                        {column.cell(row)}
                      </th>
                    ) : (
                      <td
                        key={column.head}
                        class={classOf(column, row)}
                        data-label={column.kind === undefined ? column.head : undefined}
                      >
                        {column.cell(row)}
                      </td>
                    ),
                  )}
                </tr>
                {below !== null && (
                  <tr class="below-row">
                    <td colSpan={columns.length}>{below}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>(column: Column<Row>, row: Row): string {
  const extra = typeof column.class === "function" ? column.class(row) : column.class;
  const kind =
    column.kind === "main" || column.kind === "header"
      ? "main-cell"
      : column.kind === "actions"
        ? "actions-cell"
        : "";
  return [kind, column.right === true || column.kind === "actions" ? "right" : "", extra ?? ""]
    .filter(Boolean)
    .join(" ");
}

/** Creates the column of a row's buttons. */
export function actionsColumn<Row>(cell: (row: Row) => ComponentChildren): Column<Row> {
  return { head: texts.value.common.actions, kind: "actions", cell };
}
