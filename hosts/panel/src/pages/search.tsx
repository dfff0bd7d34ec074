/** The orders of all days that contain the searched words, by day. */

import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { orders } from "../api/client";
import { ApiError, NetworkError, whenOnline } from "../api/http";
import type { Delivery, OrderRow } from "../api/wire";
import { date, day } from "../format";
import { texts } from "../i18n";
import { searchTexts } from "../i18n/search";
import { loads, updated } from "../live";
import { zone } from "../session";
import { Empty, Failure, Loading } from "../ui/parts";
import { OrderTable, searchError } from "./orders";

const PAGE_SIZE = 50;

interface Results {
  query: string;
  rows: readonly OrderRow[];
  cursor: string | null;
}

/** The last results. They are shown at once when the user returns to them. */
let last: Results | null = null;

/** Loads as many orders as were shown before. */
async function read(query: string, signal: AbortSignal): Promise<Results> {
  const shown = last?.query === query ? last.rows.length : 0;
  let results: Results = { query, rows: [], cursor: null };
  do results = await readMore(results, signal);
  while (results.cursor !== null && results.rows.length < shown);
  return results;
}

async function readMore(results: Results, signal?: AbortSignal): Promise<Results> {
  const page = await orders.list({ q: results.query, limit: PAGE_SIZE, cursor: results.cursor ?? undefined }, signal);
  const known = new Map(results.rows.map((row) => [row.id, row]));
  return { ...results, rows: [...results.rows, ...page.orders.filter((row) => !known.has(row.id))], cursor: page.nextCursor };
}

function useResults(query: string) {
  const [results, setResults] = useState<Results | null>(last?.query === query ? last : null);
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
      if (failure instanceof NetworkError) void whenOnline(stop.signal).then(() => setAttempt((before) => before + 1), () => {});
    };
    if (last?.query !== query) show(null);
    // The first run reads the results; a later one replaces them after missed changes.
    const dispose = effect(() => {
      void loads.value;
      read(query, stop.signal).then((found) => stop.signal.aborted || show(found), fail);
    });
    return () => {
      stop.abort();
      dispose();
    };
  }, [query, attempt]);
  useEffect(
    () =>
      effect(() => {
        const order = updated.value;
        if (order === null || last === null || !last.rows.some((row) => row.id === order.id)) return;
        last = { ...last, rows: last.rows.map((row) => (row.id === order.id ? { ...row, ...order } : row)) };
        setResults(last);
      }),
    [],
  );
  const more = () => {
    if (results !== null) void readMore(results).then((found) => found.query === last?.query && show(found), setError);
  };
  return { results, error, more, retry: () => setAttempt((before) => before + 1) };
}

export function SearchResults(props: { query: string }) {
  const t = searchTexts.value;
  const { results, error, more, retry } = useResults(props.query);
  const isCurrent = results?.query === props.query;
  const rejection = error instanceof ApiError && error.problem.status === 422 ? error.problem.detail : "";
  // The field of the words shows why they were rejected.
  useEffect(() => {
    searchError.value = rejection;
    return () => {
      searchError.value = "";
    };
  }, [rejection]);
  const count = results === null || !isCurrent ? "" : results.rows.length === 0 ? t.none(props.query) : t.count(results.rows.length, results.cursor !== null);
  return (
    <section aria-label={t.results(props.query)}>
      <p class="unseen" role="status">{count}</p>
      {isCurrent ? <Found of={results} more={more} /> : error === null ? <Loading lines={6} /> : null}
      {error !== null && rejection === "" && <Failure error={error} retry={retry} />}
    </section>
  );
}

function Found(props: { of: Results; more: () => void }) {
  const t = searchTexts.value;
  const { rows, query, cursor } = props.of;
  if (rows.length === 0) return <Empty text={t.none(query)} hint={t.noneHint} />;
  const days = new Map<string, OrderRow[]>();
  for (const row of rows) {
    const name = day(new Date(row.createdAt), zone.value);
    days.set(name, [...(days.get(name) ?? []), row]);
  }
  return (
    <>
      <p class="lead" aria-hidden="true">{t.count(rows.length, cursor !== null)}</p>
      {[...days].map(([name, found]) => (
        <div key={name} class="search-day">
          <h2>{date(name)}</h2>
          <OrderTable rows={found} due={texts.value.orders.delivery} label={date(name)} delivery={(row) => matching(row, query)} />
        </div>
      ))}
      {cursor !== null && <button type="button" class="button" onClick={props.more}>{texts.value.common.more}</button>}
    </>
  );
}

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Returns the delivery with most of the searched words. */
function matching(row: OrderRow, query: string): Delivery | undefined {
  const words = plain(query).split(/[^a-z0-9]+/).filter(Boolean);
  const score = (delivery: Delivery) => words.filter((word) => plain(`${delivery.name ?? ""} ${delivery.phone ?? ""}`).includes(word)).length;
  return row.deliveries.reduce<Delivery | undefined>((best, one) => (best === undefined || score(one) > score(best) ? one : best), undefined);
}
