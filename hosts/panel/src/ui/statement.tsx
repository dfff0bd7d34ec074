/** The lines of a statement. */

import { readPages } from "../api/pages";
import type { StatementLine } from "../api/wire";
import { money } from "../format";
import { Empty, When } from "./parts";
import { Table } from "./table";
import { balanceTexts } from "../i18n/balance";

/** The size of the pages that are read. */
export const STATEMENT_PAGE = 100;
const MAX_PAGES = 20;

export interface Statement {
  /** The lines, newest first. */
  lines: StatementLine[];
  /** Whether the period has later lines, which were not read. */
  more: boolean;
}

/** Reads the statement of a period from its beginning. */
export async function readStatement(
  read: (cursor?: string) => Promise<{ lines: StatementLine[]; nextCursor: string | null }>,
): Promise<Statement> {
  const { pages, more } = await readPages(read, MAX_PAGES);
  return { lines: pages.flatMap((page) => page.lines).reverse(), more: more !== null };
}

export function StatementLines(props: { of: Statement }) {
  const t = balanceTexts.value;
  const { lines, more } = props.of;
  if (lines.length === 0) return <Empty text={t.empty} hint={t.emptyHint} />;
  return (
    <>
      {more && <p class="hint">{t.more(lines.length)}</p>}
      <LineTable lines={lines} />
    </>
  );
}

function LineTable(props: { lines: readonly StatementLine[] }) {
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
