import { computed, signal } from "@preact/signals";
import type { OrderRow } from "../api/wire";
import { day, money, zoneOf } from "../format";
import { texts } from "../i18n";
import { chosenDay, failure, load, loaded, rows, shownDay } from "../live";
import { branches, isParentStore, storeName, zone } from "../session";
import { isFinal } from "../situations";
import { DayChoice } from "../ui/filters";
import { Age, Empty, Failure, Loading, Page, Situation, When } from "../ui/parts";
import { Table } from "../ui/table";

type View = "open" | "closed" | "all";
const view = signal<View>("open");
const search = signal("");

const found = computed(() => {
  const query = search.value.trim().toLowerCase();
  if (query !== "") {
    return rows.value.filter((row) => row.code.toLowerCase().includes(query) || String(row.id) === query);
  }
  if (view.value === "all") return rows.value;
  return rows.value.filter((row) => isFinal(row.situation) === (view.value === "closed"));
});

export function OrdersPage() {
  const t = texts.value.orders;
  return (
    <Page
      title={t.title}
      aside={
        <a class="button primary" href="#/orders/new">
          {texts.value.nav.create}
        </a>
      }
    >
      <Filters />
      <Body />
    </Page>
  );
}

/** The live estimate of the last delivery, or the expected time before a courier is assigned. */
function due(order: OrderRow): string | null {
  return order.eta?.delivery ?? order.expectedDelivery;
}

function Filters() {
  const t = texts.value.orders;
  const count = (kind: View) =>
    kind === "all" ? rows.value.length : rows.value.filter((row) => isFinal(row.situation) === (kind === "closed")).length;
  return (
    <div class="filters">
      <div class="tabs" role="group" aria-label={t.filter}>
        {(["open", "closed", "all"] as const).map((kind) => (
          <button key={kind} type="button" aria-pressed={view.value === kind} onClick={() => (view.value = kind)}>
            {t[kind]} <span class="number">{count(kind)}</span>
          </button>
        ))}
      </div>
      <DayChoice
        label={t.day}
        value={shownDay()}
        max={day(new Date(), zone.value)}
        set={(picked) => {
          chosenDay.value = picked === day(new Date(), zone.value) ? "" : picked;
          rows.value = [];
          loaded.value = false;
          void load();
        }}
      />
      <label class="inline grow">
        <span>{t.search}</span>
        <input type="search" placeholder={t.searchHint} value={search.value} onInput={(event) => (search.value = event.currentTarget.value)} />
      </label>
    </div>
  );
}

function Body() {
  const t = texts.value.orders;
  if (!loaded.value) return <Loading lines={6} />;
  if (failure.value !== null && rows.value.length === 0) return <Failure error={failure.value} retry={() => void load()} />;
  if (found.value.length === 0) {
    return search.value.trim() !== "" ? <Empty text={t.noMatch} /> : <Empty text={t.empty} hint={t.emptyHint} />;
  }
  return <OrderTable rows={found.value} />;
}

function OrderTable(props: { rows: readonly OrderRow[] }) {
  const t = texts.value.orders;
  const zoneOfRow = (row: OrderRow) => zoneOf(row.pickupAddress.state);
  const showStore = isParentStore.value && branches.value.length > 0;
  return (
    <Table
      label={t.title}
      class="orders open-rows"
      rows={props.rows}
      id={(row) => row.id}
      columns={[
        {
          head: t.code,
          kind: "main",
          cell: (row) => (
            <>
              <a href={`#/orders/${row.id}`} class="strong row-link">{row.code}</a>
              <span class="dim number"> #{row.id}</span>
            </>
          ),
        },
        { head: t.situation, kind: "plain", class: "situation", cell: (row) => <Situation of={row.situation} /> },
        { head: t.recipients, class: "to", cell: (row) => <Recipients of={row} /> },
        showStore ? { head: texts.value.common.store, class: "from", cell: (row) => storeName(row.storeId) } : null,
        { head: t.courier, class: (row) => (row.deliveryMan ? "courier" : "courier none"), cell: (row) => row.deliveryMan?.name ?? "—" },
        {
          head: t.due,
          class: (row) => (due(row) === null ? "due none" : "due"),
          cell: (row) => <When at={due(row)} zone={zoneOfRow(row)} />,
        },
        {
          head: t.age,
          right: true,
          class: "age",
          cell: (row) => (isFinal(row.situation) ? <When at={row.createdAt} zone={zoneOfRow(row)} /> : <Age since={row.createdAt} />),
        },
        { head: t.fee, right: true, class: "number fee", cell: (row) => money(row.deliveryFee) },
      ]}
    />
  );
}

function Recipients(props: { of: OrderRow }) {
  const [first, ...others] = props.of.deliveries;
  return (
    <>
      {first?.name ?? first?.address.street ?? "—"}
      {others.length > 0 && <span class="dim"> {texts.value.orders.others(others.length)}</span>}
      <span class="sub">{first?.address.neighborhood ?? first?.address.city}</span>
    </>
  );
}
