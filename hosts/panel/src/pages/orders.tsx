import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Delivery, OrderRow } from "../api/wire";
import { now } from "../clock";
import { day, duration, money, zoneOf } from "../format";
import { texts } from "../i18n";
import { byUrgency, deliveredAt, minutesLate, promised } from "../lateness";
import { chosenDay, failure, load, loaded, requestHistory, rows, shownDay } from "../live";
import { go, parameter, path, replace } from "../router";
import { branches, isParentStore, storeName, zone } from "../session";
import { isFinal } from "../situations";
import { DayChoice } from "../ui/filters";
import { LatenessText } from "../ui/lateness";
import { lazy } from "../ui/lazy";
import { Age, Empty, Failure, Loading, Page, Situation, When, Window } from "../ui/parts";
import { Recipients } from "../ui/recipients";
import { Table } from "../ui/table";

export type View = "open" | "closed" | "all";
const view = signal<View>("open");
/** Which of the found orders are shown, and of which day; an empty day is all days. */
export const searchFilter = signal<{ view: View; day: string }>({ view: "all", day: "" });
/** The typed words. The route contains them too, so that the browser's back button returns to the results. */
const search = signal("");
/** Why the API rejects the words, or an empty string. */
export const searchError = signal("");
const isShown = computed(() => path.value === "orders" || path.value === "");
const query = computed(() => (isShown.value ? parameter("q") : ""));
const MIN_QUERY = 2;
const MAX_QUERY = 60;
const TYPING_MS = 300;
let typingTimer = 0;
let ownQuery = "";

// A route that the page did not set itself: a link, or the back button.
effect(() => {
  if (query.value !== ownQuery) search.value = query.value;
  ownQuery = query.value;
  if (query.value === "") searchFilter.value = { view: "all", day: "" };
});

const SearchResults = lazy(() => import("./search").then((module) => module.SearchResults));

function setSearch(typed: string): void {
  search.value = typed;
  clearTimeout(typingTimer);
  const words = typed.trim();
  if (words.length < MIN_QUERY) showResults("");
  else typingTimer = window.setTimeout(() => showResults(words), TYPING_MS);
}

/** Shows the results in the current entry of the browser's history, except for the first ones. */
function showResults(words: string): void {
  if (!isShown.value || words === query.value) return;
  const isFirst = query.value === "";
  ownQuery = words;
  const to = words === "" ? "/orders" : `/orders?${new URLSearchParams({ q: words })}`;
  if (isFirst) go(to);
  else replace(to);
}

const found = computed(() => {
  if (view.value === "all") return rows.value;
  const shown = rows.value.filter((row) => isFinal(row.situation) === (view.value === "closed"));
  return view.value === "open" ? byUrgency(shown, now.value) : shown;
});

export function OrdersPage() {
  const t = texts.value.orders;
  // The map of an order's page also appears if the network is lost before the user opens an order.
  useEffect(() => void import("../ui/map").catch(() => {}), []);
  return (
    <Page
      title={t.title}
      aside={
        <>
          <a class="button" href="#/orders/import">{t.import}</a>
          <a class="button primary" href="#/orders/new">{texts.value.nav.create}</a>
        </>
      }
    >
      <Filters />
      {query.value === "" ? <Body /> : <SearchResults query={query.value} {...searchFilter.value} />}
    </Page>
  );
}

/** The promised time of an open order and its lateness, or the delivery time of a finished order. */
function Due(props: { of: OrderRow; zone: string }) {
  const { of } = props;
  if (isFinal(of.situation)) return <Delivered {...props} />;
  const next = nextWindow(of);
  return (
    <>
      <When at={promised(of)} zone={props.zone} />
      <LatenessText of={of} class="sub" />
      {next?.window !== undefined && <Window of={next.window} zone={zoneOf(next.address)} class="sub" />}
    </>
  );
}

/** The open delivery whose window ends first. */
function nextWindow(of: OrderRow): Delivery | undefined {
  const end = (one: Delivery) => Date.parse(one.window?.until ?? "");
  return of.deliveries.filter((one) => one.window !== undefined && !isFinal(one.situation)).sort((a, b) => end(a) - end(b))[0];
}

/** The history of a finished order is loaded when its row becomes visible. */
function Delivered(props: { of: OrderRow; zone: string }) {
  const t = texts.value.orders;
  const { of } = props;
  const box = useRef<HTMLSpanElement>(null);
  const isMissing = of.events === undefined && hasDelivery(of);
  useEffect(() => {
    if (!isMissing || box.current === null) return;
    const watch = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) requestHistory(of.id);
    });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [isMissing, of.id]);
  const at = deliveredAt(of);
  const late = at === null ? null : minutesLate(of, at);
  return (
    <span ref={box}>
      <When at={at} zone={props.zone} />
      {late !== null && <span class={`sub ${late === 0 ? "plus" : "late"}`}>{late === 0 ? t.onTime : t.lateBy(duration(late))}</span>}
    </span>
  );
}

const hasDelivery = (order: OrderRow) => order.deliveries.some((stop) => stop.situation === 500);
const isDueEmpty = (order: OrderRow) => (isFinal(order.situation) ? !hasDelivery(order) : promised(order) === null);

function Filters() {
  const t = texts.value.orders;
  const error = searchError.value;
  const count = (kind: View) =>
    kind === "all" ? rows.value.length : rows.value.filter((row) => isFinal(row.situation) === (kind === "closed")).length;
  return (
    <div class="filters">
      <label class={`inline grow${error === "" ? "" : " invalid"}`}>
        <span>{t.search}</span>
        <input
          type="search"
          placeholder={t.searchHint}
          maxLength={MAX_QUERY}
          value={search.value}
          aria-invalid={error === "" ? undefined : "true"}
          aria-describedby={error === "" ? undefined : "search-error"}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {error !== "" && <span class="field-error" id="search-error" role="alert">{error}</span>}
      </label>
      {query.value === "" ? (
        <>
          <Tabs value={view.value} set={(kind) => (view.value = kind)} count={count} />
          <DayChoice label={t.day} value={shownDay()} max={day(new Date(), zone.value)} set={showDay} />
        </>
      ) : (
        <>
          <Tabs value={searchFilter.value.view} set={(kind) => (searchFilter.value = { ...searchFilter.value, view: kind })} />
          <DayChoice label={t.day} value={searchFilter.value.day} max={day(new Date(), zone.value)} set={(picked) => (searchFilter.value = { ...searchFilter.value, day: picked })} optional />
        </>
      )}
    </div>
  );
}

function showDay(picked: string): void {
  chosenDay.value = picked === day(new Date(), zone.value) ? "" : picked;
  rows.value = [];
  loaded.value = false;
  void load();
}

function Tabs(props: { value: View; set: (view: View) => void; count?: (view: View) => number }) {
  const t = texts.value.orders;
  return (
    <div class="tabs" role="group" aria-label={t.filter}>
      {(["open", "closed", "all"] as const).map((kind) => (
        <button key={kind} type="button" aria-pressed={props.value === kind} onClick={() => props.set(kind)}>
          {t[kind]} {props.count !== undefined && <span class="number">{props.count(kind)}</span>}
        </button>
      ))}
    </div>
  );
}

function Body() {
  const t = texts.value.orders;
  if (!loaded.value) return <Loading lines={6} />;
  if (failure.value !== null && rows.value.length === 0) return <Failure error={failure.value} retry={() => void load()} />;
  if (found.value.length === 0) return <Empty text={t.empty} hint={t.emptyHint} />;
  return <OrderTable rows={found.value} due={{ open: t.due, closed: t.delivered, all: t.delivery }[view.value]} />;
}

interface TableProps {
  rows: readonly OrderRow[];
  /** The title of the column with the promised or actual time. */
  due: string;
  label?: string;
  /** Returns the delivery that represents the order; without it, the first one. */
  delivery?: (row: OrderRow) => Delivery | undefined;
}

export function OrderTable(props: TableProps) {
  const t = texts.value.orders;
  const zoneOfRow = (row: OrderRow) => zoneOf(row.pickupAddress);
  const showStore = isParentStore.value && branches.value.length > 0;
  return (
    <Table
      label={props.label ?? t.title}
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
        { head: t.recipients, class: "to", cell: (row) => <Recipients of={row} delivery={props.delivery?.(row)} /> },
        showStore ? { head: texts.value.common.store, class: "from", cell: (row) => storeName(row.storeId) } : null,
        { head: t.courier, class: (row) => (row.deliveryMan ? "courier" : "courier none"), cell: (row) => row.deliveryMan?.name ?? "—" },
        {
          head: props.due,
          class: (row) => (isDueEmpty(row) ? "due none" : "due"),
          cell: (row) => <Due of={row} zone={zoneOfRow(row)} />,
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