/** Orders whose goods are ready. A list sends this a few seconds after the click, so that a slip can be undone. */

import { signal } from "@preact/signals";
import { orders } from "./api/client";
import type { Order } from "./api/wire";
import { rows, updateRow } from "./live";
import { notifyError } from "./ui/toast";

/** The time in which a click can be undone. */
export const UNDO_MS = 5_000;

/** The orders that are sent soon, with their timers. */
const waiting = signal<ReadonlyMap<number, number>>(new Map());
/** The orders that this page sent. With a lead time, the API does not say that they are ready. */
const sent = signal<ReadonlySet<number>>(new Set());

/** Whether an order can be marked as ready, or was and can be taken back. */
export function readiness(order: Order): "preparing" | "waiting" | null {
  if (!isInPreparation(order)) return null;
  return waiting.value.has(order.id) ? "waiting" : "preparing";
}

/** With a lead time, a courier is searched and sent while the goods are prepared. */
export function isInPreparation(order: Order): boolean {
  const { situation, leadMinutes } = order;
  const isAhead = leadMinutes !== undefined && situation >= 200 && situation <= 220;
  return (situation === 110 || isAhead) && !sent.value.has(order.id);
}

export function markReady(id: number): void {
  set(
    id,
    window.setTimeout(() => void send(id), UNDO_MS),
  );
}

export function undoReady(id: number): void {
  clearTimeout(waiting.value.get(id));
  set(id, null);
}

/** Sends what is waiting at once, before the page or the session ends. */
export async function sendWaiting(): Promise<void> {
  await Promise.all([...waiting.value.keys()].map(send));
}

/** Sends an order, and returns it. */
export async function sendReady(id: number): Promise<Order> {
  const order = await orders.ready(id);
  sent.value = new Set([...sent.value, id]);
  return order;
}

async function send(id: number): Promise<void> {
  undoReady(id);
  // The preparation may have ended by itself.
  const row = rows.value.find((one) => one.id === id);
  if (row !== undefined && !isInPreparation(row)) return;
  await sendReady(id).then(updateRow, notifyError);
}

function set(id: number, timer: number | null): void {
  const others = [...waiting.value].filter(([other]) => other !== id);
  waiting.value = new Map(timer === null ? others : [...others, [id, timer]]);
}

addEventListener("pagehide", () => void sendWaiting());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) void sendWaiting();
});
