import { computed, signal } from "@preact/signals";
import type { OrderRow } from "../api/wire";
import { day, money, zoneOf } from "../format";
import { texts } from "../i18n";
import { chosenDay, failure, load, loaded, rows, shownDay } from "../live";
import { branches, isMatrix, storeName, zone } from "../session";
import { isFinal } from "../situations";
import { Age, Empty, Failure, Loading, Page, Situation, When } from "../ui/parts";

type Which = "open" | "closed" | "all";
const which = signal<Which>("open");
const search = signal("");

const found = computed(() => {
  const wanted = search.value.trim().toLowerCase();
  if (wanted !== "") {
    return rows.value.filter((row) => row.code.toLowerCase().includes(wanted) || String(row.id) === wanted);
  }
  if (which.value === "all") return rows.value;
  return rows.value.filter((row) => isFinal(row.situation) === (which.value === "closed"));
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

function Filters() {
  const t = texts.value.orders;
  const count = (kind: Which) =>
    kind === "all" ? rows.value.length : rows.value.filter((row) => isFinal(row.situation) === (kind === "closed")).length;
  return (
    <div class="filters">
      <div class="tabs" role="group" aria-label={t.filter}>
        {(["open", "closed", "all"] as const).map((kind) => (
          <button key={kind} type="button" aria-pressed={which.value === kind} onClick={() => (which.value = kind)}>
            {t[kind]} <span class="number">{count(kind)}</span>
          </button>
        ))}
      </div>
      <label class="inline">
        <span>{t.day}</span>
        <input
          type="date"
          value={shownDay()}
          max={day(new Date(), zone.value)}
          onChange={(event) => {
            const picked = event.currentTarget.value;
            chosenDay.value = picked === day(new Date(), zone.value) ? "" : picked;
            rows.value = [];
            loaded.value = false;
            void load();
          }}
        />
      </label>
      <label class="inline grow">
        <span>{t.search}</span>
        <input type="search" value={search.value} onInput={(event) => (search.value = event.currentTarget.value)} />
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
  const many = isMatrix.value && branches.value.length > 0;
  return (
    <div class="table-box">
      <table class="table orders">
        <thead>
          <tr>
            <th scope="col">{t.code}</th>
            <th scope="col">{t.situation}</th>
            <th scope="col">{t.recipients}</th>
            {many && <th scope="col">{texts.value.common.store}</th>}
            <th scope="col">{t.courier}</th>
            <th scope="col">{t.due}</th>
            <th scope="col" class="right">{t.age}</th>
            <th scope="col" class="right">{t.fee}</th>
          </tr>
        </thead>
        <tbody>
          {found.value.map((row) => (
            <Row key={row.id} row={row} many={many} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: { row: OrderRow; many: boolean }) {
  const { row } = props;
  const t = texts.value.orders;
  const there = zoneOf(row.pickupAddress.state);
  const [first, ...others] = row.deliveries;
  return (
    <tr>
      <td class="main-cell">
        <a href={`#/orders/${row.id}`} class="strong">
          {row.code}
        </a>
        <span class="dim number"> #{row.id}</span>
      </td>
      <td>
        <Situation of={row.situation} />
      </td>
      <td data-label={t.recipients}>
        {first?.name ?? first?.address.street ?? "—"}
        {others.length > 0 && <span class="dim"> {t.others(others.length)}</span>}
        <span class="sub">{first?.address.neighborhood ?? first?.address.city}</span>
      </td>
      {props.many && <td class="from" data-label={texts.value.common.store}>{storeName(row.storeId)}</td>}
      <td class={row.deliveryMan ? "courier" : "courier nobody"} data-label={t.courier}>{row.deliveryMan?.name ?? "—"}</td>
      <td class={row.expectedDelivery === null ? "due nobody" : "due"} data-label={t.due}>
        <When at={row.expectedDelivery} zone={there} />
      </td>
      <td data-label={t.age} class="right age">
        {isFinal(row.situation) ? <When at={row.createdAt} zone={there} /> : <Age since={row.createdAt} />}
      </td>
      <td data-label={t.fee} class="right number">
        {money(row.deliveryFee)}
      </td>
    </tr>
  );
}
