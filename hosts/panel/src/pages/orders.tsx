import { computed, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { OrderRow } from "../api/wire";
import { now } from "../clock";
import { day } from "../format";
import { texts } from "../i18n";
import { byUrgency, lateness } from "../lateness";
import { chosenDay, failure, load, loaded, rows, shownDay } from "../live";
import { go, parameter, path, replace } from "../router";
import { searchError, type View } from "../search-state";
import { zone } from "../session";
import { SEARCHING, isFinal } from "../situations";
import { DayChoice } from "../ui/filters";
import { lazy } from "../ui/lazy";
import { Empty, Failure, Loading, Page } from "../ui/parts";
import { Board } from "./board";
import { OwnOrders } from "./own-orders";
import { orderListTexts } from "../i18n/orders";

const VIEWS = ["open", "late", "searching", "closed", "all"] as const;
type ListView = (typeof VIEWS)[number];
const view = signal<ListView>("open");
const LAYOUT_KEY = "despacho.orders-layout";
type Layout = "list" | "board";
/** How open orders are shown, which this device remembers. */
const layout = signal<Layout>(readLayout());
/** Which of the found orders are shown, and of which day; an empty day is all days. */
export const searchFilter = signal<{ view: View; day: string }>({ view: "all", day: "" });
/** The typed words. The route contains them too, so that the browser's back button returns to the results. */
const search = signal("");
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

function readLayout(): Layout {
  try {
    return localStorage.getItem(LAYOUT_KEY) === "board" ? "board" : "list";
  } catch {
    return "list";
  }
}

function setLayout(chosen: Layout): void {
  layout.value = chosen;
  try {
    localStorage.setItem(LAYOUT_KEY, chosen);
  } catch {
    // Without storage, the choice applies only to this page.
  }
}

function isOf(row: OrderRow, kind: ListView): boolean {
  if (kind === "all") return true;
  if (kind === "closed") return isFinal(row.situation);
  if (kind === "late") return lateness(row, now.value)?.kind === "late";
  return kind === "searching" ? row.situation === SEARCHING : !isFinal(row.situation);
}

const isOpenView = computed(() => view.value !== "closed" && view.value !== "all");
const found = computed(() => {
  const shown = rows.value.filter((row) => isOf(row, view.value));
  return isOpenView.value ? byUrgency(shown, now.value) : shown;
});

export function OrdersPage() {
  const t = orderListTexts.value;
  // The map of an order's page also appears if the network is lost before the user opens an order.
  useEffect(() => void import("../ui/map").catch(() => {}), []);
  return (
    <Page
      title={t.title}
      aside={
        <>
          {query.value === "" && isOpenView.value && <LayoutChoice />}
          <a class="button" href="#/orders/import">
            {t.import}
          </a>
          <a class="button primary" href="#/orders/new">
            {texts.value.nav.create}
          </a>
        </>
      }
    >
      <Filters />
      {query.value === "" ? (
        <Body />
      ) : (
        <SearchResults query={query.value} {...searchFilter.value} />
      )}
    </Page>
  );
}

function Filters() {
  const t = orderListTexts.value;
  const error = searchError.value;
  const count = (kind: ListView) => rows.value.filter((row) => isOf(row, kind)).length;
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
        {error !== "" && (
          <span class="field-error" id="search-error" role="alert">
            {error}
          </span>
        )}
      </label>
      {query.value === "" ? (
        <>
          <Tabs
            kinds={VIEWS}
            value={view.value}
            set={(kind) => (view.value = kind)}
            count={count}
          />
          <DayChoice
            label={t.day}
            value={shownDay()}
            max={day(new Date(), zone.value)}
            set={showDay}
          />
        </>
      ) : (
        <>
          <Tabs
            kinds={["open", "closed", "all"] as const}
            value={searchFilter.value.view}
            set={(kind) => (searchFilter.value = { ...searchFilter.value, view: kind })}
          />
          <DayChoice
            label={t.day}
            value={searchFilter.value.day}
            max={day(new Date(), zone.value)}
            set={(picked) => (searchFilter.value = { ...searchFilter.value, day: picked })}
            optional
          />
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

interface TabsProps<Kind extends ListView> {
  kinds: readonly Kind[];
  value: Kind;
  set: (kind: Kind) => void;
  count?: (kind: Kind) => number;
}

function Tabs<Kind extends ListView>(props: TabsProps<Kind>) {
  const t = orderListTexts.value;
  return (
    <div class="tabs" role="group" aria-label={t.filter}>
      {props.kinds.map((kind) => {
        const count = props.count?.(kind);
        return (
          <button
            key={kind}
            type="button"
            aria-pressed={props.value === kind}
            onClick={() => props.set(kind)}
          >
            {t[kind]}{" "}
            {count !== undefined && (
              <span class={kind === "late" && count > 0 ? "number late" : "number"}>{count}</span>
            )}
          </button>
        );
      })}
    </div>
  );
}

function LayoutChoice() {
  const t = orderListTexts.value;
  return (
    <div class="tabs" role="group" aria-label={t.layout}>
      {(["list", "board"] as const).map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={layout.value === one}
          onClick={() => setLayout(one)}
        >
          {t[one]}
        </button>
      ))}
    </div>
  );
}

function Body() {
  const t = orderListTexts.value;
  if (!loaded.value) return <Loading lines={6} />;
  if (failure.value !== null && rows.value.length === 0)
    return <Failure error={failure.value} retry={() => void load()} />;
  if (found.value.length === 0) return <Empty text={t.empty} hint={t.emptyHint} />;
  if (isOpenView.value && layout.value === "board") return <Board rows={found.value} />;
  const due = isOpenView.value ? t.due : view.value === "closed" ? t.delivered : t.delivery;
  return <OwnOrders rows={found.value} due={due} isOpen={isOpenView.value} />;
}
