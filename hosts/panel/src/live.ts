/** One day's orders, updated by the event stream, or by polling if the stream is unavailable. */

import { signal } from "@preact/signals";
import { orders } from "./api/client";
import { followEvents, streaming } from "./api/stream";
import type { JournalEvent, OrderRow } from "./api/wire";
import { day, nextDay, startOfDay } from "./format";
import { session, zone } from "./session";
import { isFinal } from "./situations";
import { notify } from "./ui/toast";
import { texts } from "./i18n";
import { orderListTexts } from "./i18n/orders";

const POLL_MS = 15_000;
const PAGE_SIZE = 100;
const MAX_ORDERS = 2000;
/** Today's list also contains open orders that were created up to this long before midnight: orders are scheduled up to 30 days ahead. */
const CARRY_OVER_MS = 31 * 86_400_000;

export const rows = signal<OrderRow[]>([]);
export const loaded = signal(false);
export const failure = signal<unknown>(null);
/** The selected day, or an empty string for today. */
export const chosenDay = signal("");
/** The latest event, for pages that show one order. */
export const lastEvent = signal<JournalEvent | null>(null);
/** The order that was read last, for lists of other days. */
export const updated = signal<OrderRow | null>(null);
/** Increases when the list is loaded again, because changes may have been missed. */
export const loads = signal(0);

export function shownDay(): string {
  return chosenDay.value || day(new Date(), zone.value);
}

/** The orders that were read since the last list was requested: the list may be older. */
const fresh = new Map<number, OrderRow>();

/** Loads the selected day's orders. */
export async function load(): Promise<void> {
  const run = loads.peek() + 1;
  loads.value = run;
  fresh.clear();
  const own = session.value;
  const date = shownDay();
  const begin = startOfDay(date, zone.value);
  const today = date === day(new Date(), zone.value);
  const from = begin.toISOString();
  const to = startOfDay(nextDay(date), zone.value).toISOString();
  try {
    const all: OrderRow[] = [];
    await list(all, { from, to });
    if (today)
      await list(all, {
        from: new Date(begin.getTime() - CARRY_OVER_MS).toISOString(),
        to: from,
        open: true,
      });
    if (session.value !== own || date !== shownDay() || loads.peek() !== run) return;
    const histories = new Map(rows.value.map((row) => [row.id, row]));
    rows.value = all.map((row) => withHistory(row, histories.get(row.id)));
    for (const order of fresh.values()) place(order);
    failure.value = null;
  } catch (error) {
    if (session.value === own && loads.peek() === run) failure.value = error;
  } finally {
    loaded.value = true;
  }
}

/** Adds all pages of a list of orders. */
async function list(
  all: OrderRow[],
  query: { from: string; to: string; open?: true },
): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await orders.list({ ...query, limit: PAGE_SIZE, cursor });
    all.push(...page.orders);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && all.length < MAX_ORDERS);
}

/** Adds the known history of a finished order, which the list does not contain. */
function withHistory(row: OrderRow, known: OrderRow | undefined): OrderRow {
  return known?.events !== undefined && known.situation === row.situation
    ? { ...row, events: known.events }
    : row;
}

const MAX_HISTORY_REQUESTS = 3;
const requested = new Set<number>();
const waiting: number[] = [];
let historyRequests = 0;

/** Loads the history of a finished order, which contains the time of its delivery. */
export function requestHistory(id: number): void {
  if (requested.has(id)) return;
  requested.add(id);
  waiting.push(id);
  sendHistoryRequests();
}

function sendHistoryRequests(): void {
  for (
    let id = waiting.at(-1);
    id !== undefined && historyRequests < MAX_HISTORY_REQUESTS;
    id = waiting.at(-1)
  ) {
    waiting.pop();
    historyRequests += 1;
    const order = id;
    void read(order).finally(() => {
      requested.delete(order);
      historyRequests -= 1;
      sendHistoryRequests();
    });
  }
}

/** Reads an order, and updates its row unless the session has ended. */
async function read(id: number): Promise<void> {
  const own = session.value;
  const order = await orders.get(id).catch(() => null);
  if (order !== null && session.value === own) updateRow(order);
}

const changed = new Set<number>();
let refreshTimer = 0;

/** Reloads a changed order, combining events that arrive within 150 ms. */
function refresh(id: number): void {
  changed.add(id);
  if (refreshTimer !== 0) return;
  refreshTimer = window.setTimeout(() => {
    refreshTimer = 0;
    const ids = [...changed];
    changed.clear();
    if (ids.length > 8) void load();
    else for (const one of ids) void read(one);
  }, 150);
}

/** Updates an order in the list, or adds it if it belongs to the selected day. */
export function updateRow(order: OrderRow): void {
  updated.value = order;
  const current = rows.value.find((row) => row.id === order.id);
  if (current !== undefined && current.situation !== order.situation) {
    notify(
      orderListTexts.value.changed(order.code, texts.value.situations[order.situation] ?? ""),
      "quiet",
    );
  }
  fresh.set(order.id, order);
  place(order);
}

/** Updates or adds a row. */
function place(order: OrderRow): void {
  if (rows.value.some((row) => row.id === order.id)) {
    rows.value = rows.value.map((row) => (row.id === order.id ? { ...row, ...order } : row));
  } else if (
    day(new Date(order.createdAt), zone.value) === shownDay() ||
    (chosenDay.value === "" && !isFinal(order.situation))
  ) {
    rows.value = [order, ...rows.value];
  }
}

const isJournalEvent = (value: unknown): value is JournalEvent =>
  typeof value === "object" &&
  value !== null &&
  "orderId" in value &&
  typeof value.orderId === "number";

/** Starts the updates and returns a function that stops them. */
export function startLiveUpdates(): () => void {
  const stop = new AbortController();
  void load();
  void followEvents(
    (event) => {
      try {
        const entry: unknown = JSON.parse(event.data);
        if (!isJournalEvent(entry)) return;
        lastEvent.value = entry;
        refresh(entry.orderId);
      } catch {
        // Events of newer server versions may have an unknown format.
      }
    },
    () => void load(),
    stop.signal,
  );
  const timer = setInterval(() => {
    if (!streaming.value && session.value !== null && !document.hidden) void load();
  }, POLL_MS);
  const onWake = () => {
    if (!document.hidden) void load();
  };
  document.addEventListener("visibilitychange", onWake);
  addEventListener("online", onWake);
  return () => {
    stop.abort();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onWake);
    removeEventListener("online", onWake);
    rows.value = [];
    loaded.value = false;
    chosenDay.value = "";
  };
}
