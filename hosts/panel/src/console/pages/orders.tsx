import { useState } from "preact/hooks";
import { ApiError, NetworkError } from "../../api/http";
import type { OrderRow, OrderSituation } from "../../api/wire";
import { now } from "../../clock";
import { zoneOf } from "../../format";
import { texts } from "../../i18n";
import { promised } from "../../lateness";
import { isFinal } from "../../situations";
import { LatenessText } from "../../ui/lateness";
import { OrderTable } from "../../ui/order-table";
import { Empty, Failure, Loading, Page, When } from "../../ui/parts";
import { readPages } from "../../api/pages";
import { orders, type OrderFilter } from "../api";
import { change, filter, noFilter, query, sorted, type Filter } from "../order-filter";
import type { PageProps } from "../page-props";
import { usePolled } from "../poll";
import { allOrdersTexts } from "../texts/orders";
import { DayField, SearchField, useDelayed } from "../ui/filters";
import { StorePicker } from "../ui/store-picker";
import { OrderPage } from "./order";
import { orderListTexts } from "../../i18n/orders";

const POLL_MS = 10_000;
/** Maximum number of pages that one update reads. */
const MAX_PAGES = 5;
const MAX_ROWS = 500;
const SITUATIONS: readonly OrderSituation[] = [
  100, 110, 120, 200, 210, 220, 300, 400, 410, 500, 510, 520, 600, 610, 620, 630, 640,
];

interface Found {
  rows: OrderRow[];
  isComplete: boolean;
}

/** Loads the newest orders. The late ones among all orders are added if no other filter excludes them. */
async function load(of: OrderFilter, pages: number): Promise<Found> {
  const { q, situation, late, from, to } = of;
  const isFiltered = [q, situation, late, from, to].some((one) => one !== undefined);
  const [newest, lateOnes] = await Promise.all([
    readPages((cursor) => orders.list({ ...of, cursor }), pages),
    isFiltered ? null : orders.list({ ...of, late: true }),
  ]);
  const all = [...(lateOnes?.orders ?? []), ...newest.pages.flatMap((page) => page.orders)];
  const rows = new Map(all.map((row) => [row.id, row]));
  return { rows: [...rows.values()], isComplete: newest.more === null };
}

export function OrdersPage(props: PageProps) {
  const [id] = props.rest;
  return id === undefined ? <OrderList /> : <OrderPage key={id} id={Number(id)} />;
}

function OrderList() {
  const t = allOrdersTexts.value;
  const applied = useDelayed(query(filter.value));
  const key = JSON.stringify(applied);
  const [depth, setDepth] = useState({ key, pages: 1 });
  const pages = depth.key === key ? depth.pages : 1;
  const found = usePolled(() => load(applied, pages), [key, pages], POLL_MS, { keep: true });
  const { value, error } = found;
  const errors = filterErrors(filter.value, error);
  const isRejected = Object.values(errors).some((one) => one !== null);
  // The banner reports a lost network; the rows remain.
  const isFailed =
    error !== null && !isRejected && !(value !== null && error instanceof NetworkError);
  const rows = value === null ? [] : sorted(value.rows, now.value);
  return (
    <Page title={t.title} lead={t.lead}>
      <Filters errors={errors} />
      {value === null && error === null && <Loading lines={6} />}
      {isFailed && <Failure error={error} retry={found.reload} />}
      {value !== null && !isRejected && (
        <>
          <p class="hint" role="status">
            {t.count(rows.length)}
          </p>
          {rows.length === 0 ? (
            <Empty text={t.empty} />
          ) : (
            <OrderTable
              rows={rows}
              store={(row) => row.storeName ?? `#${row.storeId}`}
              due={{
                head: orderListTexts.value.due,
                isEmpty: isDueEmpty,
                cell: (row) => <Due of={row} />,
              }}
            />
          )}
          {!value.isComplete &&
            (pages < MAX_PAGES ? (
              <p class="row">
                <button
                  type="button"
                  class="button"
                  onClick={() => setDepth({ key, pages: pages + 1 })}
                >
                  {t.more}
                </button>
              </p>
            ) : (
              <p class="hint">{t.full(MAX_ROWS)}</p>
            ))}
        </>
      )}
    </Page>
  );
}

/** The errors of the fields of the filter. */
interface FilterErrors {
  search: string | null;
  store: string | null;
  to: string | null;
}

function filterErrors(of: Filter, error: unknown): FilterErrors {
  const problem = error instanceof ApiError ? error.problem : null;
  return {
    search: problem?.code === "validation_failed" ? problem.detail : null,
    store: problem?.code === "store_not_found" ? problem.detail : null,
    to:
      of.from !== "" && of.to !== "" && of.to < of.from
        ? allOrdersTexts.value.endBeforeStart
        : null,
  };
}

function Filters(props: { errors: FilterErrors }) {
  const t = allOrdersTexts.value;
  const value = filter.value;
  const isEmpty = JSON.stringify(value) === JSON.stringify(noFilter());
  return (
    <div class="filters" role="search">
      <SearchField
        label={t.search}
        hint={t.searchHint}
        value={value.search}
        error={props.errors.search}
        set={(search) => change({ search })}
      />
      <label class="inline">
        <span>{t.situation}</span>
        <select
          value={value.situation}
          onChange={({ currentTarget }) =>
            change({ situation: SITUATIONS[currentTarget.selectedIndex - 1] ?? "" })
          }
        >
          <option value="">{t.anySituation}</option>
          {SITUATIONS.map((one) => (
            <option key={one} value={String(one)}>
              {texts.value.situations[one]}
            </option>
          ))}
        </select>
      </label>
      <StorePicker
        value={value.store}
        error={props.errors.store}
        set={(store) => change({ store })}
      />
      <DayField
        id="from"
        label={t.from}
        value={value.from}
        max={value.to}
        set={(from) => change({ from })}
      />
      <DayField
        id="to"
        label={t.to}
        value={value.to}
        min={value.from}
        error={props.errors.to}
        set={(to) => change({ to })}
      />
      <div class="check">
        <input
          id="late"
          type="checkbox"
          checked={value.late}
          onChange={(event) => change({ late: event.currentTarget.checked })}
        />
        <label for="late">{t.late}</label>
      </div>
      {!isEmpty && (
        <button type="button" class="button" onClick={() => (filter.value = noFilter())}>
          {t.clear}
        </button>
      )}
    </div>
  );
}

/** Returns whether the order has no promised time to show. */
const isDueEmpty = (row: OrderRow) => isFinal(row.situation) || promised(row) === null;

/** The promised time of an open order and its lateness. */
function Due({ of }: { of: OrderRow }) {
  if (isFinal(of.situation)) return null;
  return (
    <>
      <When at={promised(of)} zone={zoneOf(of.pickupAddress)} />
      <LatenessText of={of} class="sub" />
    </>
  );
}
