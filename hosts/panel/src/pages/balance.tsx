import { useState } from "preact/hooks";
import { statement, stores } from "../api/client";
import type { StatementLine } from "../api/wire";
import { day, money, nextDay, startOfDay } from "../format";
import { texts } from "../i18n";
import { family, store, zone } from "../session";
import { useLoad } from "../ui/load";
import { Empty, Failure, Loading, Page, When } from "../ui/parts";
import { say } from "../ui/toast";

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
  const save = () => {
    statement.csv(period(asked)).then(
      (file) => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(file);
        link.download = `despacho-${asked.storeId}-${asked.from}-${asked.to}.csv`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      },
      (error: unknown) => say(error instanceof Error ? error.message : String(error), "bad"),
    );
  };
  return (
    <Page title={t.title} lead={t.lead} aside={<button type="button" class="button" onClick={save}>{t.csv}</button>}>
      <p class="amount">{own.value === null ? "—" : money(own.value.balance)}</p>
      <div class="filters">
        {family.value.length > 1 && (
          <label class="inline">
            <span>{texts.value.common.store}</span>
            <select value={String(asked.storeId)} onChange={(event) => setAsked({ ...asked, storeId: Number(event.currentTarget.value) })}>
              {family.value.map((one) => <option key={one.id} value={String(one.id)}>{one.name}</option>)}
            </select>
          </label>
        )}
        <label class="inline">
          <span>{t.from}</span>
          <input type="date" value={asked.from} max={asked.to} onChange={(event) => event.currentTarget.value && setAsked({ ...asked, from: event.currentTarget.value })} />
        </label>
        <label class="inline">
          <span>{t.to}</span>
          <input type="date" value={asked.to} min={asked.from} max={today} onChange={(event) => event.currentTarget.value && setAsked({ ...asked, to: event.currentTarget.value })} />
        </label>
      </div>
      <h2>{t.statement}</h2>
      {list.value === null ? (
        list.error !== null ? <Failure error={list.error} retry={list.again} /> : <Loading lines={6} />
      ) : list.value.length === 0 ? (
        <Empty text={t.empty} hint={t.emptyHint} />
      ) : (
        <div class="table-box">
          <table class="table lines">
            <thead>
              <tr>
                <th scope="col">{t.what}</th>
                <th scope="col">{t.when}</th>
                <th scope="col">{t.order}</th>
                <th scope="col" class="right">{t.amount}</th>
                <th scope="col" class="right">{t.after}</th>
              </tr>
            </thead>
            <tbody>
              {list.value.map((line) => (
                <tr key={line.id}>
                  <td class="main-cell">
                    {t.kinds[line.type] ?? line.type}
                    {line.reference !== null && <span class="sub">{line.reference}</span>}
                  </td>
                  <td data-label={t.when}><When at={line.createdAt} full /></td>
                  <td data-label={t.order}>{line.orderId === null ? "—" : <a class="number" href={`#/orders/${line.orderId}`}>#{line.orderId}</a>}</td>
                  <td data-label={t.amount} class={`right number ${line.amount < 0 ? "" : "plus"}`}>{money(line.amount)}</td>
                  <td data-label={t.after} class="right number">{money(line.balance)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Page>
  );
}
