import { useState } from "preact/hooks";
import { statement, stores } from "../api/client";
import { day, money, nextDay, startOfDay } from "../format";
import { store, zone } from "../session";
import { DayChoice } from "../ui/filters";
import { useLoad } from "../ui/load";
import { Loaded, Page } from "../ui/parts";
import { STATEMENT_PAGE, StatementLines, readStatement } from "../ui/statement";
import { StoreChoice } from "../ui/store-choice";
import { notifyError } from "../ui/toast";
import { TopUps } from "./top-ups";
import { balanceTexts } from "../i18n/balance";

const MONTH_MS = 30 * 86_400_000;

interface Filter {
  from: string;
  to: string;
  storeId: number;
}

function period(filter: Filter) {
  return {
    from: startOfDay(filter.from, zone.value).toISOString(),
    to: startOfDay(nextDay(filter.to), zone.value).toISOString(),
    ...(filter.storeId === store.value?.id ? {} : { storeId: filter.storeId }),
  };
}

const loadLines = (filter: Filter) =>
  readStatement((cursor) => statement.list({ ...period(filter), limit: STATEMENT_PAGE, cursor }));

export function BalancePage() {
  const t = balanceTexts.value;
  const today = day(new Date(), zone.value);
  const [filter, setFilter] = useState<Filter>({
    from: day(new Date(Date.now() - MONTH_MS), zone.value),
    to: today,
    storeId: store.value?.id ?? 0,
  });
  const own = useLoad(() => stores.get(filter.storeId), [filter.storeId]);
  const list = useLoad(() => loadLines(filter), [filter.from, filter.to, filter.storeId]);
  return (
    <Page
      title={t.title}
      lead={t.lead}
      aside={
        <button type="button" class="button" onClick={() => downloadCsv(filter)}>
          {t.csv}
        </button>
      }
    >
      <p class="amount">{own.value?.balance === undefined ? "—" : money(own.value.balance)}</p>
      {filter.storeId === store.value?.id && <TopUps />}
      <div class="filters">
        <StoreChoice value={filter.storeId} set={(storeId) => setFilter({ ...filter, storeId })} />
        <DayChoice
          label={t.from}
          value={filter.from}
          max={filter.to}
          set={(from) => setFilter({ ...filter, from })}
        />
        <DayChoice
          label={t.to}
          value={filter.to}
          min={filter.from}
          max={today}
          set={(to) => setFilter({ ...filter, to })}
        />
      </div>
      <h2>{t.statement}</h2>
      <Loaded of={list} lines={6}>
        {(found) => <StatementLines of={found} />}
      </Loaded>
    </Page>
  );
}

/** Downloads the statement as CSV. */
function downloadCsv(filter: Filter): void {
  statement.csv(period(filter)).then((file) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `despacho-${filter.storeId}-${filter.from}-${filter.to}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, notifyError);
}
