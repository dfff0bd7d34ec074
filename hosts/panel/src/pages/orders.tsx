import { computed, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { now } from "../clock";
import { day } from "../format";
import { texts } from "../i18n";
import { byUrgency } from "../lateness";
import { chosenDay, failure, load, loaded, rows, shownDay } from "../live";
import { go, parameter, path, replace } from "../router";
import { searchError, type View } from "../search-state";
import { zone } from "../session";
import { isFinal } from "../situations";
import { DayChoice } from "../ui/filters";
import { lazy } from "../ui/lazy";
import { Empty, Failure, Loading, Page } from "../ui/parts";
import { OwnOrders } from "./own-orders";
import { orderListTexts } from "../i18n/orders";

const view = signal<View>("open");
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

const found = computed(() => {
  if (view.value === "all") return rows.value;
  const shown = rows.value.filter((row) => isFinal(row.situation) === (view.value === "closed"));
  return view.value === "open" ? byUrgency(shown, now.value) : shown;
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
  const count = (kind: View) =>
    kind === "all"
      ? rows.value.length
      : rows.value.filter((row) => isFinal(row.situation) === (kind === "closed")).length;
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
          <Tabs value={view.value} set={(kind) => (view.value = kind)} count={count} />
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

function Tabs(props: { value: View; set: (view: View) => void; count?: (view: View) => number }) {
  const t = orderListTexts.value;
  return (
    <div class="tabs" role="group" aria-label={t.filter}>
      {(["open", "closed", "all"] as const).map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={props.value === kind}
          onClick={() => props.set(kind)}
        >
          {t[kind]} {props.count !== undefined && <span class="number">{props.count(kind)}</span>}
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
  return (
    <OwnOrders
      rows={found.value}
      due={{ open: t.due, closed: t.delivered, all: t.delivery }[view.value]}
    />
  );
}
