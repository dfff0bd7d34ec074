/** The orders of a period by day: charts, totals, tables and a file for spreadsheets. */

import { useMemo } from "preact/hooks";
import { reports } from "../api/client";
import type { ReportDay } from "../api/wire";
import { day, money } from "../format";
import { reportTexts } from "../i18n/report";
import { byDay, byStore, combine, daysOf, type DayFigures, type Figures } from "../report/days";
import { parameter, replace } from "../router";
import { accessibleStores, store, storeName, zone } from "../session";
import { Chart, type Series } from "../ui/chart";
import { DayChoice } from "../ui/filters";
import { useLoad } from "../ui/load";
import { Empty, Fact, Loaded, Page } from "../ui/parts";
import { Table, type Column } from "../ui/table";
import { notifyError } from "../ui/toast";
import { texts } from "../i18n";

const DAY_MS = 86_400_000;
const MAX_DAYS = 92;
const PRESETS = [7, 30, 90] as const;
const DEFAULT_DAYS = 30;

interface Filter {
  from: string;
  to: string;
  /** The ID of a store, or 0 for all stores of the session. */
  storeId: number;
}

/** Returns the day that is some days after another. */
const shifted = (name: string, days: number) =>
  new Date(Date.parse(`${name}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
const isDay = (name: string) => /^\d{4}-\d\d-\d\d$/.test(name) && !Number.isNaN(Date.parse(name));
const shortDay = (name: string) => `${name.slice(8)}/${name.slice(5, 7)}`;
const longDay = (name: string) => `${shortDay(name)}/${name.slice(0, 4)}`;
const today = () => day(new Date(), zone.value);

/** The filter of the route, so that a reload and the back button keep it. */
function readFilter(): Filter {
  const to = isDay(parameter("to")) ? parameter("to") : today();
  const from = isDay(parameter("from")) ? parameter("from") : shifted(to, 1 - DEFAULT_DAYS);
  const requested = Number(parameter("store"));
  const storeId = accessibleStores.value.some((one) => one.id === requested) ? requested : 0;
  return {
    from: from > to || from < shifted(to, 1 - MAX_DAYS) ? shifted(to, 1 - DEFAULT_DAYS) : from,
    to,
    storeId,
  };
}

function setFilter(filter: Filter): void {
  replace(
    `/reports?${new URLSearchParams({ from: filter.from, to: filter.to, ...(filter.storeId === 0 ? {} : { store: String(filter.storeId) }) })}`,
  );
}

/** The server's report of a parent store contains its branches. */
const isParentOnly = (filter: Filter) =>
  filter.storeId === store.value?.id && accessibleStores.value.length > 1;

const query = (filter: Filter) => ({
  from: filter.from,
  to: filter.to,
  storeId: filter.storeId || undefined,
});

async function read(filter: Filter): Promise<ReportDay[]> {
  const { days } = await reports.days(query(filter));
  return isParentOnly(filter) ? days.filter((entry) => entry.storeId === filter.storeId) : days;
}

async function downloadCsv(filter: Filter): Promise<void> {
  let file = await reports.csv(query(filter));
  if (isParentOnly(filter)) {
    // `text` removes the byte order mark, which `csvFile` adds again.
    const { csvFile, parseCsv, writeCsv } = await import("../import/csv");
    const [head, ...records] = parseCsv(await file.text()).records.map((record) => record.cells);
    file = csvFile(
      writeCsv([head ?? [], ...records.filter((cells) => cells[1] === String(filter.storeId))]),
    );
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `despacho-${filter.storeId || store.value?.id}-${filter.from}-${filter.to}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function ReportsPage() {
  const t = reportTexts.value;
  const filter = readFilter();
  const list = useLoad(() => read(filter), [filter.from, filter.to, filter.storeId]);
  const name =
    filter.storeId === 0
      ? accessibleStores.value.length > 1
        ? t.all
        : (store.value?.name ?? "")
      : storeName(filter.storeId);
  return (
    <Page
      title={t.title}
      lead={`${name}, ${t.period(longDay(filter.from), longDay(filter.to))}`}
      aside={
        <>
          <button type="button" class="button" onClick={() => print()}>
            {t.print}
          </button>
          <button
            type="button"
            class="button"
            onClick={() => void downloadCsv(filter).catch(notifyError)}
          >
            {t.csv}
          </button>
        </>
      }
    >
      <Filters filter={filter} />
      <Loaded of={list} lines={6}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty text={t.empty} hint={t.emptyHint} />
          ) : (
            <Report key={`${filter.from} ${filter.to}`} entries={entries} filter={filter} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Filters(props: { filter: Filter }) {
  const t = reportTexts.value;
  const { filter } = props;
  const last = today();
  const isPreset = (days: number) => filter.to === last && filter.from === shifted(last, 1 - days);
  return (
    <div class="filters">
      {accessibleStores.value.length > 1 && (
        <label class="inline">
          <span>{texts.value.common.store}</span>
          <select
            value={String(filter.storeId)}
            onChange={(event) =>
              setFilter({ ...filter, storeId: Number(event.currentTarget.value) })
            }
          >
            <option value="0">{t.all}</option>
            {accessibleStores.value.map((one) => (
              <option key={one.id} value={String(one.id)}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="tabs" role="group" aria-label={t.last}>
        {PRESETS.map((days) => (
          <button
            key={days}
            type="button"
            aria-pressed={isPreset(days)}
            onClick={() => setFilter({ ...filter, from: shifted(last, 1 - days), to: last })}
          >
            {t.days(days)}
          </button>
        ))}
      </div>
      <DayChoice
        label={t.from}
        value={filter.from}
        max={filter.to}
        set={(from) =>
          setFilter({
            ...filter,
            from,
            to: [filter.to, shifted(from, MAX_DAYS - 1)].sort()[0] ?? filter.to,
          })
        }
      />
      <DayChoice
        label={t.to}
        value={filter.to}
        max={last}
        set={(to) =>
          setFilter({
            ...filter,
            to,
            from: [filter.from > to ? to : filter.from, shifted(to, 1 - MAX_DAYS)].sort()[1] ?? to,
          })
        }
      />
      <p class="hint">{t.limit}</p>
    </div>
  );
}

function Report(props: { entries: readonly ReportDay[]; filter: Filter }) {
  const t = reportTexts.value;
  const { entries, filter } = props;
  const days = useMemo(() => byDay(entries, daysOf(filter.from, filter.to)), [entries]);
  const stores = useMemo(() => byStore(entries), [entries]);
  return (
    <div class="report">
      <Totals of={combine(entries)} />
      <Charts days={days} hasStores={stores.length > 1} />
      {stores.length > 1 && (
        <section>
          <h2>{t.byStore}</h2>
          <Table
            label={t.byStore}
            class="tight"
            rows={stores}
            id={(row) => row.storeId}
            columns={[
              {
                head: texts.value.common.store,
                kind: "main",
                cell: (row) => storeName(row.storeId),
              },
              ...columns<(typeof stores)[number]>(false),
            ]}
          />
        </section>
      )}
      <details>
        <summary>{t.byDay}</summary>
        <Table
          label={t.byDay}
          class="tight"
          rows={days}
          id={(row) => row.day}
          columns={[
            { head: t.day, kind: "main", cell: (row) => longDay(row.day) },
            ...columns<DayFigures>(true),
          ]}
        />
      </details>
    </div>
  );
}

const orDash = (value: number | null, format: (value: number) => string) =>
  value === null ? "—" : format(value);
const percent = (value: number) => `${value} %`;

/** The 90th percentile of a period cannot be computed from those of its days. */
function columns<Row extends Figures>(hasP90: boolean): (Column<Row> | null)[] {
  const t = reportTexts.value;
  const column = (head: string, cell: (row: Row) => string | number): Column<Row> => ({
    head,
    right: true,
    class: "number",
    cell,
  });
  return [
    column(t.created, (row) => row.created),
    column(t.delivered, (row) => row.delivered),
    column(t.cancelled, (row) => row.cancelled),
    column(t.failed, (row) => row.failed),
    column(t.feesTotal, (row) => money(row.fees)),
    column(t.mean, (row) => orDash(row.mean, t.minutesUnit)),
    hasP90 ? column(t.p90, (row) => orDash(row.p90, t.minutesUnit)) : null,
    column(t.latePercent, (row) => orDash(row.latePercent, percent)),
  ];
}

function Totals(props: { of: Figures }) {
  const t = reportTexts.value;
  const { of } = props;
  return (
    <dl class="card totals">
      <Fact name={t.created}>
        <span class="number">{of.created}</span>
      </Fact>
      <Fact name={t.delivered}>
        <span class="number">{of.delivered}</span>
      </Fact>
      <Fact name={t.cancelled}>
        <span class="number">{of.cancelled}</span>
      </Fact>
      <Fact name={t.failed}>
        <span class="number">{of.failed}</span>
      </Fact>
      <Fact name={t.feesTotal}>
        <span class="number">{money(of.fees)}</span>
      </Fact>
      <Fact name={t.mean}>
        <span class="number">{orDash(of.mean, t.minutesUnit)}</span>
      </Fact>
      <Fact name={t.late}>
        <span class="number">
          {of.late}
          {of.latePercent !== null && ` (${percent(of.latePercent)})`}
        </span>
      </Fact>
    </dl>
  );
}

function Charts(props: { days: readonly DayFigures[]; hasStores: boolean }) {
  const t = reportTexts.value;
  const { days } = props;
  const series = (
    name: string,
    tone: Series["tone"],
    value: (of: DayFigures) => number | null,
  ): Series => ({ name, tone, values: days.map(value) });
  const shared = { days: days.map((one) => shortDay(one.day)), none: t.none, keys: t.keys };
  const orders = [
    series(t.delivered, "good", (one) => one.delivered),
    series(t.open, "rest", (one) => one.open),
    series(t.cancelled, "warn", (one) => one.cancelled),
    series(t.failed, "bad", (one) => one.failed),
  ];
  const minutes = [
    series(t.mean, "accent", (one) => one.mean),
    series(t.p90, "move", (one) => one.p90),
  ];
  return (
    <div class="charts">
      <Chart {...shared} kind="bars" title={t.orders} series={orders} format={String} whole />
      <Chart
        {...shared}
        kind="bars"
        title={t.fees}
        hint={t.feesHint}
        series={[series(t.feesTotal, "accent", (one) => one.fees)]}
        format={money}
      />
      <Chart
        {...shared}
        kind="lines"
        title={t.minutes}
        {...(props.hasStores ? { hint: t.p90Max } : {})}
        series={minutes}
        format={t.minutesUnit}
        whole
      />
      <Chart
        {...shared}
        kind="bars"
        title={t.lateDays}
        hint={t.lateHint}
        series={[series(t.latePercent, "bad", (one) => one.latePercent)]}
        format={percent}
        whole
      />
    </div>
  );
}
