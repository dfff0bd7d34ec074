import { useState } from "preact/hooks";
import { statement, stores } from "../api/client";
import type { StatementLine } from "../api/wire";
import { day, money, nextDay, startOfDay } from "../format";
import { texts } from "../i18n";
import { store, zone } from "../session";
import { DayChoice, StoreChoice } from "../ui/filters";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, When } from "../ui/parts";
import { Table } from "../ui/table";
import { complain } from "../ui/toast";

const MONTH_MS = 30 * 86_400_000;
const MOST = 2_000;

interface Asked {
  from: string;
  to: string;
  storeId: number;
}

function period(asked: Asked) {
  return {
    from: startOfDay(asked.from, zone.value).toISOString(),
    to: startOfDay(nextDay(asked.to), zone.value).toISOString(),
    ...(asked.storeId === store.value?.id ? {} : { storeId: asked.storeId }),
  };
}

async function lines(asked: Asked): Promise<StatementLine[]> {
  const all: StatementLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await statement.list({ ...period(asked), cursor });
    all.push(...page.lines);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && all.length < MOST);
  return all.reverse();
}

export function BalancePage() {
  const t = texts.value.balance;
  const today = day(new Date(), zone.value);
  const [asked, setAsked] = useState<Asked>({ from: day(new Date(Date.now() - MONTH_MS), zone.value), to: today, storeId: store.value?.id ?? 0 });
  const own = useLoad(() => stores.get(asked.storeId), [asked.storeId]);
  const list = useLoad(() => lines(asked), [asked.from, asked.to, asked.storeId]);
  return (
    <Page title={t.title} lead={t.lead} aside={<button type="button" class="button" onClick={() => save(asked)}>{t.csv}</button>}>
      <p class="amount">{own.value === null ? "—" : money(own.value.balance)}</p>
      <div class="filters">
        <StoreChoice value={asked.storeId} set={(storeId) => setAsked({ ...asked, storeId })} />
        <DayChoice label={t.from} value={asked.from} max={asked.to} set={(from) => setAsked({ ...asked, from })} />
        <DayChoice label={t.to} value={asked.to} min={asked.from} max={today} set={(to) => setAsked({ ...asked, to })} />
      </div>
      <h2>{t.statement}</h2>
      <Loaded of={list} lines={6}>
        {(found) => (found.length === 0 ? <Empty text={t.empty} hint={t.emptyHint} /> : <LineTable lines={found} />)}
      </Loaded>
    </Page>
  );
}

/** The same lines as a file for a spreadsheet. */
function save(asked: Asked): void {
  statement.csv(period(asked)).then((file) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `despacho-${asked.storeId}-${asked.from}-${asked.to}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, complain);
}

function LineTable(props: { lines: readonly StatementLine[] }) {
  const t = texts.value.balance;
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
        { head: t.order, cell: (line) => (line.orderId === null ? "—" : <a class="number" href={`#/orders/${line.orderId}`}>#{line.orderId}</a>) },
        { head: t.amount, right: true, class: (line) => (line.amount < 0 ? "number" : "number plus"), cell: (line) => money(line.amount) },
        { head: t.after, right: true, class: "number", cell: (line) => money(line.balance) },
      ]}
    />
  );
}
