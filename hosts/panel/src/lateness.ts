/** How orders compare with their promised times. */

import type { OrderRow } from "./api/wire";
import { RETURNING } from "./situations";

export interface Lateness {
  minutes: number;
  /** `late` if the promised time has passed, `expected` if only the live estimate is later. */
  kind: "late" | "expected";
}

const MINUTE_MS = 60_000;

/** The promised time, or the live estimate of orders without one. */
export function promised(order: OrderRow): string | null {
  return order.expectedDelivery ?? order.eta?.delivery ?? null;
}

/** Returns how late the deliveries of an order are, or `null` if they are on time, over or have no promised time. */
export function lateness(order: OrderRow, now: number): Lateness | null {
  const due = promised(order);
  if (due === null || order.situation >= RETURNING) return null;
  const passed = Math.floor((now - Date.parse(due)) / MINUTE_MS);
  const expected = Math.floor(
    (Date.parse(order.eta?.delivery ?? due) - Date.parse(due)) / MINUTE_MS,
  );
  if (passed >= 1) return { minutes: Math.max(passed, expected), kind: "late" };
  return expected >= 1 ? { minutes: expected, kind: "expected" } : null;
}

function rank(order: OrderRow, now: number): number {
  const late = lateness(order, now);
  if (late === null) return 2;
  return late.kind === "late" ? 0 : 1;
}

/** Sorts open orders by urgency: late orders first, then by promised time. Orders without one are last, oldest first. */
export function byUrgency(rows: readonly OrderRow[], now: number): OrderRow[] {
  const due = (row: OrderRow) => Date.parse(promised(row) ?? "") || Number.MAX_SAFE_INTEGER;
  return [...rows].sort((a, b) => rank(a, now) - rank(b, now) || due(a) - due(b) || a.id - b.id);
}

/** The time of the last delivery. Null if nothing was delivered, or if the history was not loaded. */
export function deliveredAt(order: Pick<OrderRow, "events">): string | null {
  return (
    (order.events ?? [])
      .filter((event) => event.type === "delivery.delivered")
      .map((event) => event.createdAt)
      .sort()
      .at(-1) ?? null
  );
}

/** Returns the minutes between the promised time and a delivery, at least 0. Null if there was no promised time. */
export function minutesLate(order: OrderRow, delivered: string): number | null {
  if (order.expectedDelivery === null) return null;
  return Math.max(
    0,
    Math.floor((Date.parse(delivered) - Date.parse(order.expectedDelivery)) / MINUTE_MS),
  );
}
