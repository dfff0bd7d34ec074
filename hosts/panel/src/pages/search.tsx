/** The orders that contain the searched words, by day: of all days unless one is chosen. */

import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { orders } from "../api/client";
import { ApiError, NetworkError, whenOnline } from "../api/http";
import type { Delivery, OrderRow } from "../api/wire";
import { date, day, nextDay, startOfDay } from "../format";
import { texts } from "../i18n";
import { searchTexts } from "../i18n/search";
import { loads, updated } from "../live";
import { searchError, type View } from "../search-state";
import { zone } from "../session";
import { isFinal } from "../situations";
import { Empty, Failure, Loading } from "../ui/parts";
import { OwnOrders } from "./own-orders";
import { orderListTexts } from "../i18n/orders";

const PAGE_SIZE = 50;

interface Search {
  query: string;
  view: View;
  /** The day of the orders, or an empty string for all days. */
  day: string;
}

interface Results {
  search: Search;
  rows: readonly OrderRow[];
  cursor: string | null;
}

/** The last results. They are shown at once when the user returns to them. */
let last: Results | null = null;

const isSame = (a: Search, b: Search) =>
  a.query === b.query && a.view === b.view && a.day === b.day;

/** Loads as many orders as were shown before. */
async function read(search: Search, signal: AbortSignal): Promise<Results> {
  const shown = last !== null && isSame(last.search, search) ? last.rows.length : 0;
  let results: Results = { search, rows: [], cursor: null };
  do results = await readMore(results, signal);
  while (results.cursor !== null && results.rows.length < shown);
  return results;
}

async function readMore(results: Results, signal?: AbortSignal): Promise<Results> {
  const { query, view, day: chosen } = results.search;
  const period =
    chosen === ""
      ? {}
      : {
          from: startOfDay(chosen, zone.value).toISOString(),
          to: startOfDay(nextDay(chosen), zone.value).toISOString(),
        };
  const open = view === "open" ? ({ open: true } as const) : {};
  let { rows, cursor } = results;
  const known = new Set(rows.map((row) => row.id));
  let found: OrderRow[];
  do {
    const page = await orders.list(
      { q: query, ...period, ...open, limit: PAGE_SIZE, cursor: cursor ?? undefined },
      signal,
    );
    // The API has no filter for finished orders, so a page can contain none.
    found = page.orders.filter(
      (row) => !known.has(row.id) && (view !== "closed" || isFinal(row.situation)),
    );
    rows = [...rows, ...found];
    cursor = page.nextCursor;
  } while (found.length === 0 && cursor !== null);
  return { ...results, rows, cursor };
}

function useResults({ query, view, day: chosen }: Search) {
  const search = { query, view, day: chosen };
  const isKnown = last !== null && isSame(last.search, search);
  const [results, setResults] = useState<Results | null>(isKnown ? last : null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const show = (found: Results | null) => {
    last = found ?? last;
    setResults(found);
    setError(null);
  };
  useEffect(() => {
    const stop = new AbortController();
    const fail = (failure: unknown) => {
      if (stop.signal.aborted) return;
      setError(failure);
      if (failure instanceof NetworkError)
        void whenOnline(stop.signal).then(
          () => setAttempt((before) => before + 1),
          () => {},
        );
    };
    if (!isKnown) show(null);
    // The first run reads the results; a later one replaces them after missed changes.
    const dispose = effect(() => {
      void loads.value;
      read(search, stop.signal).then((found) => stop.signal.aborted || show(found), fail);
    });
    return () => {
      stop.abort();
      dispose();
    };
  }, [query, view, chosen, attempt]);
  useEffect(
    () =>
      effect(() => {
        const order = updated.value;
        if (order === null || last === null || !last.rows.some((row) => row.id === order.id))
          return;
        last = {
          ...last,
          rows: last.rows.map((row) => (row.id === order.id ? { ...row, ...order } : row)),
        };
        setResults(last);
      }),
    [],
  );
  const more = () => {
    if (results !== null)
      void readMore(results).then(
        (found) => last !== null && isSame(found.search, last.search) && show(found),
        setError,
      );
  };
  return {
    results: results !== null && isSame(results.search, search) ? results : null,
    error,
    more,
    retry: () => setAttempt((before) => before + 1),
  };
}

export function SearchResults(props: Search) {
  const t = searchTexts.value;
  const { results, error, more, retry } = useResults(props);
  const rejection =
    error instanceof ApiError && error.problem.status === 422 ? error.problem.detail : "";
  // The field of the words shows why they were rejected.
  useEffect(() => {
    searchError.value = rejection;
    return () => {
      searchError.value = "";
    };
  }, [rejection]);
  const count =
    results === null
      ? ""
      : results.rows.length === 0
        ? t.none(props.query)
        : t.count(results.rows.length, results.cursor !== null);
  return (
    <section aria-label={t.results(props.query)}>
      <p class="unseen" role="status">
        {count}
      </p>
      {results !== null ? (
        <Found of={results} more={more} />
      ) : error === null ? (
        <Loading lines={6} />
      ) : null}
      {error !== null && rejection === "" && <Failure error={error} retry={retry} />}
    </section>
  );
}

function Found(props: { of: Results; more: () => void }) {
  const t = searchTexts.value;
  const {
    rows,
    cursor,
    search: { query },
  } = props.of;
  if (rows.length === 0) return <Empty text={t.none(query)} hint={t.noneHint} />;
  const days = new Map<string, OrderRow[]>();
  for (const row of rows) {
    const name = day(new Date(row.createdAt), zone.value);
    days.set(name, [...(days.get(name) ?? []), row]);
  }
  return (
    <>
      <p class="lead" aria-hidden="true">
        {t.count(rows.length, cursor !== null)}
      </p>
      {[...days].map(([name, found]) => (
        <div key={name} class="search-day">
          <h2>{date(name)}</h2>
          <OwnOrders
            rows={found}
            due={orderListTexts.value.delivery}
            label={date(name)}
            delivery={(row) => matching(row, query)}
          />
        </div>
      ))}
      {cursor !== null && (
        <button type="button" class="button" onClick={props.more}>
          {texts.value.common.more}
        </button>
      )}
    </>
  );
}

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Returns the delivery with most of the searched words. */
function matching(row: OrderRow, query: string): Delivery | undefined {
  const words = plain(query)
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const score = (delivery: Delivery) =>
    words.filter((word) => plain(`${delivery.name ?? ""} ${delivery.phone ?? ""}`).includes(word))
      .length;
  return row.deliveries.reduce<Delivery | undefined>(
    (best, one) => (best === undefined || score(one) > score(best) ? one : best),
    undefined,
  );
}
