/** The lines of a statement. */

import type { StatementLine } from "../api/wire";
import { money } from "../format";
import { When } from "./parts";
import { Table } from "./table";
import { balanceTexts } from "../i18n/balance";

export function LineTable(props: { lines: readonly StatementLine[] }) {
  const t = balanceTexts.value;
  return (
    <Table
      label={t.statement}
      class="lines"
      rows={props.lines}
      id={(line) => line.id}
      columns={[
        {
          head: t.what,
          kind: "main",
          cell: (line) => (
            <>
              {t.kinds[line.type] ?? line.type}
              {line.reference !== null && <span class="sub">{line.reference}</span>}
            </>
          ),
        },
        { head: t.when, cell: (line) => <When at={line.createdAt} full /> },
        {
          head: t.order,
          cell: (line) =>
            line.orderId === null ? (
              "—"
            ) : (
              <a class="number" href={`#/orders/${line.orderId}`}>
                #{line.orderId}
              </a>
            ),
        },
        {
          head: t.amount,
          right: true,
          class: (line) => (line.amount < 0 ? "number" : "number plus"),
          cell: (line) => money(line.amount),
        },
        { head: t.after, right: true, class: "number", cell: (line) => money(line.balance) },
      ]}
    />
  );
}
