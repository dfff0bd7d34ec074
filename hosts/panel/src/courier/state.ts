/** What the app knows: the courier, the last trip that the service returned, and the steps that are not confirmed yet. */

import { computed, signal } from "@preact/signals";
import type { QueuedStep } from "./storage";
import { apply } from "./steps";
import type { CourierSelf, Order, Stop, Trip } from "./wire";

/** `starting` until the stored data is read, `other` if another window of the app took over. */
export type Phase = "starting" | "broken" | "signedOut" | "ready" | "other";

export const phase = signal<Phase>("starting");
export const me = signal<CourierSelf | null>(null);
/** The last trip that the service returned. */
export const confirmed = signal<Trip | null>(null);
/** All stored steps, in the order in which they were taken. */
export const steps = signal<readonly QueuedStep[]>([]);
/** Whether the last request reached the service. */
export const connected = signal(true);
export const now = signal(Date.now());

export const waiting = computed(() => steps.value.filter((step) => step.state === "waiting"));
/** Steps that the service rejected, with the dropped ones behind them. */
export const failed = computed(() => steps.value.filter((step) => step.state !== "waiting"));
/** The trip after all steps that the courier took. */
export const trip = computed(() => waiting.value.reduce<Trip | null>(apply, confirmed.value));
export const onDuty = computed(() => me.value?.available === true || trip.value !== null);

export interface NextStop {
  stop: Stop;
  order: Order;
  delivery: Order["deliveries"][number] | null;
}

export const nextStop = computed<NextStop | null>(() => {
  const stop = trip.value?.stops[0];
  return stop === undefined ? null : describe(stop);
});

/** Returns a stop with its order and delivery. */
export function describe(stop: Stop): NextStop | null {
  const order = trip.value?.orders.find((one) => one.id === stop.orderId);
  if (order === undefined) return null;
  return {
    stop,
    order,
    delivery: order.deliveries.find((one) => one.id === stop.deliveryId) ?? null,
  };
}
