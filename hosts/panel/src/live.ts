/** The orders of a day, kept up to date: by the event stream if there is one, otherwise by polling. */

import { signal } from "@preact/signals";
import { orders } from "./api/client";
import { follow, streaming } from "./api/stream";
import type { JournalEvent, OrderRow } from "./api/wire";
import { day, nextDay, startOfDay } from "./format";
import { session, zone } from "./session";
import { isFinal } from "./situations";
import { notify } from "./ui/toast";
import { texts } from "./i18n";

const POLL_MS = 15_000;
const PAGE = 100;
const MOST = 2000;
/** Yesterday's orders that are still open belong to today's work. */
const CARRIED_MS = 12 * 3_600_000;

export const rows = signal<OrderRow[]>([]);
export const loaded = signal(false);
export const failure = signal<unknown>(null);
/** The day that is looked at; empty for today. */
export const chosenDay = signal("");
/** Called with each event, for pages that show one order. */
export const lastEvent = signal<JournalEvent | null>(null);

export function shownDay(): string {
  return chosenDay.value || day(new Date(), zone.value);
}

/** Reads the day's orders. */
export async function load(): Promise<void> {
  const date = shownDay();
  const begin = startOfDay(date, zone.value);
  const today = date === day(new Date(), zone.value);
  const from = new Date(begin.getTime() - (today ? CARRIED_MS : 0)).toISOString();
  const to = startOfDay(nextDay(date), zone.value).toISOString();
  try {
    const all: OrderRow[] = [];
    let cursor: string | undefined;
    do {
      const page = await orders.list({ from, to, limit: PAGE, cursor });
      all.push(...page.orders);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && all.length < MOST);
    if (date !== shownDay()) return;
    rows.value = all.filter((row) => Date.parse(row.createdAt) >= begin.getTime() || !isFinal(row.situation));
    failure.value = null;
  } catch (error) {
    failure.value = error;
  } finally {
    loaded.value = true;
  }
}

const changed = new Set<number>();
let collecting = 0;

/** Reads the changed orders again, several events at once. */
function refresh(id: number): void {
  changed.add(id);
  if (collecting !== 0) return;
  collecting = window.setTimeout(() => {
    collecting = 0;
    const ids = [...changed];
    changed.clear();
    if (ids.length > 8) void load();
    else for (const one of ids) void orders.get(one).then(put, () => {});
  }, 150);
}

/** Takes a newer state of an order into the list. */
export function put(order: OrderRow): void {
  const known = rows.value.find((row) => row.id === order.id);
  if (known !== undefined && known.situation !== order.situation) {
    notify(texts.value.orders.changed(order.code, texts.value.situations[order.situation] ?? ""), "quiet");
  }
  if (known !== undefined) {
    rows.value = rows.value.map((row) => (row.id === order.id ? { ...row, ...order } : row));
  } else if (day(new Date(order.createdAt), zone.value) === shownDay()) {
    rows.value = [order, ...rows.value];
  }
}

/** Starts to follow; the result stops it. */
export function start(): () => void {
  const stop = new AbortController();
  void load();
  void follow(
    (event) => {
      try {
        const entry = JSON.parse(event.data) as JournalEvent;
        lastEvent.value = entry;
        refresh(entry.orderId);
      } catch {
        // An event of a kind that this panel does not know.
      }
    },
    () => void load(),
    stop.signal,
  );
  const timer = setInterval(() => {
    if (!streaming.value && session.value !== null && !document.hidden) void load();
  }, POLL_MS);
  const woken = () => {
    if (!document.hidden) void load();
  };
  document.addEventListener("visibilitychange", woken);
  addEventListener("online", woken);
  return () => {
    stop.abort();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", woken);
    removeEventListener("online", woken);
    rows.value = [];
    loaded.value = false;
    chosenDay.value = "";
  };
}
