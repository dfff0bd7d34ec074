/**
 * The state after a step of the courier that the service has not confirmed yet. The statuses come from the core's lifecycle table. The npm
 * package applies it too, but is fifteen times as large as the app, which must open on slow phones; a test compares both.
 */

import { LIFECYCLE } from "despacho/lifecycle";
import type { EventType, Order, PaymentMethod, ProofStep, Stop, Trip } from "./wire";

export interface Step {
  kind: StepKind;
  orderId: number;
  deliveryId: number | null;
  /** The time at which the courier took the step. */
  at: string;
  code: string | null;
  reason: string | null;
  proof: Proof | null;
  /** The payment that the recipient handed over. Steps that an earlier app stored have none. */
  payment?: Payment | null;
}

export interface Payment {
  method: PaymentMethod;
  received: number;
  reference: string | null;
}

export interface Proof {
  /** Keys of stored photos. */
  photos: string[];
  receivedBy: string | null;
  note: string | null;
  latitude: number | null;
  longitude: number | null;
}

interface StepInfo {
  event: keyof typeof LIFECYCLE;
  proof?: ProofStep;
}

/** The event that each step causes, and the proof that the store can require for it. */
export const STEPS = {
  arrive: { event: "order.courier_arrived" },
  decline: { event: "order.courier_released" },
  pickup: { event: "order.picked_up", proof: "PICKUP" },
  "en-route": { event: "delivery.en_route" },
  resequence: { event: "delivery.resequenced" },
  "at-door": { event: "delivery.arrived" },
  deliver: { event: "delivery.delivered", proof: "DELIVERY" },
  fail: { event: "delivery.returning", proof: "FAILURE" },
  "at-return": { event: "order.courier_at_return" },
  "hand-back": { event: "order.returned", proof: "RETURN" },
} as const satisfies Record<string, StepInfo>;

export type StepKind = keyof typeof STEPS;

interface Row {
  subject: "order" | "delivery";
  /** The statuses from which the step leads, of the delivery or of the order. */
  from: readonly number[];
  /** The status after it; null if it follows from the deliveries. */
  to: number | null;
  /** What happens to each delivery together with the order. */
  each: { from: readonly number[]; to: number } | null;
}

const row = (kind: StepKind): Row => LIFECYCLE[STEPS[kind].event];

/** Returns whether a step concerns one delivery of the order. */
export const isOfDelivery = (kind: StepKind): boolean => row(kind).subject === "delivery";
/** Returns the step of which the store can require a proof. */
export function proofStep(kind: StepKind): ProofStep | undefined {
  const { proof }: StepInfo = STEPS[kind];
  return proof;
}

const isCurrent = (situation: number) => situation === 320 || situation === 330;
const isOpen = (situation: number) =>
  situation === 150 || situation === 310 || isCurrent(situation);

/** Returns whether something comes back after a delivery. The app may have stored orders of an earlier service. */
export const returns = (one: Order["deliveries"][number]): boolean =>
  !one.onlinePayment && ((one.payment as { returns?: boolean } | undefined)?.returns ?? true);

/** Returns the status of an order whose goods are picked up, from its deliveries. */
function derived(order: Order): number {
  const any = (...situations: number[]) =>
    order.deliveries.some((one) => situations.includes(one.situation));
  if (any(310, 320, 330)) return 300;
  const payment = order.deliveries.some((one) => one.situation === 500 && returns(one));
  if (payment || any(400, 410)) return 400;
  if (!any(500)) return 520;
  return order.deliveries.every((one) => one.situation === 500 || one.situation === 600)
    ? 500
    : 510;
}

/** Returns whether the courier can take a step now. */
export function can(order: Order, kind: StepKind, deliveryId: number | null): boolean {
  const { from } = row(kind);
  if (!isOfDelivery(kind)) return from.includes(order.situation);
  const delivery = order.deliveries.find((one) => one.id === deliveryId);
  if (order.situation < 300 || delivery === undefined || !from.includes(delivery.situation))
    return false;
  return kind !== "en-route" || !order.deliveries.some((one) => isCurrent(one.situation));
}

/** Returns the events that the courier can cause next, as the service returns them. */
export function possible(order: Order): EventType[] {
  const kinds = Object.keys(STEPS) as StepKind[];
  return kinds
    .filter((kind) => order.deliveries.some((one) => can(order, kind, one.id)))
    .map((kind) => STEPS[kind].event);
}

/** Returns the order after a step; null if the courier no longer carries it. */
export function applyToOrder(order: Order, step: Step): Order | null {
  if (!can(order, step.kind, step.deliveryId)) return order;
  const { to, each } = row(step.kind);
  const moved = (one: Order["deliveries"][number]): number => {
    if (isOfDelivery(step.kind)) return one.id === step.deliveryId ? (to ?? 0) : one.situation;
    return each?.from.includes(one.situation) === true ? each.to : one.situation;
  };
  const deliveries = order.deliveries.map(
    (one) => ({ ...one, situation: moved(one) }) as typeof one,
  );
  const situation = isOfDelivery(step.kind) ? derived({ ...order, deliveries }) : to;
  // The status of a returned order, whose courier has handed everything back, is one of the final ones.
  if (step.kind === "decline" || situation === null || situation >= 500) return null;
  const next = {
    ...order,
    situation,
    deliveries,
    returnRequired: order.returnRequired || step.kind === "fail",
  } as Order;
  return { ...next, possible: possible(next) };
}

/** Returns the trip after a step; null after its last one. */
export function apply(trip: Trip | null, step: Step): Trip | null {
  const order = trip?.orders.find((one) => one.id === step.orderId);
  if (trip === null || order === undefined || !can(order, step.kind, step.deliveryId)) return trip;
  const next = applyToOrder(order, step);
  const orders =
    next === null
      ? trip.orders.filter((one) => one !== order)
      : trip.orders.map((one) => (one === order ? next : one));
  return orders.length === 0 ? null : { ...trip, orders, stops: stopsAfter(trip, orders, step) };
}

function stopsAfter(trip: Trip, orders: Order[], step: Step): Stop[] {
  const order = orders.find((one) => one.id === step.orderId);
  const left = trip.stops.filter((stop) => {
    if (stop.orderId !== step.orderId) return true;
    if (order === undefined) return false;
    if (stop.type === "PICKUP") return order.situation < 300;
    if (stop.type === "DELIVERY")
      return isOpen(order.deliveries.find((one) => one.id === stop.deliveryId)?.situation ?? 0);
    return true;
  });
  if (order !== undefined && step.kind === "resequence") restoreRoute(left, order);
  // The stop that the courier is on the way to comes first.
  const current = left.findIndex(
    (stop) =>
      stop.orderId === step.orderId &&
      step.kind === "en-route" &&
      stop.deliveryId === step.deliveryId,
  );
  if (current > 0) left.unshift(...left.splice(current, 1));
  const returns =
    order?.deliveries.some((one) => one.situation === 400 || one.situation === 410) ?? false;
  if (
    order !== undefined &&
    returns &&
    !left.some((stop) => stop.type === "RETURN" && stop.orderId === order.id)
  ) {
    left.push({
      type: "RETURN",
      orderId: order.id,
      deliveryId: null,
      address: order.pickupAddress,
      latitude: order.pickupLatitude,
      longitude: order.pickupLongitude,
      eta: step.at,
    });
  }
  return left;
}

/** Without a current stop, the stops of an order are in route order, at the places that the order has in the trip. */
function restoreRoute(stops: Stop[], order: Order): void {
  const route = (stop: Stop) =>
    order.deliveries.find((one) => one.id === stop.deliveryId)?.orderRoute ?? 0;
  const places = stops.flatMap((stop, at) =>
    stop.orderId === order.id && stop.type === "DELIVERY" ? [at] : [],
  );
  const sorted = places.map((at) => stops[at] as Stop).sort((a, b) => route(a) - route(b));
  for (const [index, at] of places.entries()) stops[at] = sorted[index] as Stop;
}

/** Returns the next step of a stop. */
export function nextStep(order: Order, stop: Stop): StepKind | null {
  const kinds: Record<Stop["type"], readonly StepKind[]> = {
    PICKUP: ["arrive", "pickup"],
    DELIVERY: ["en-route", "at-door", "deliver"],
    RETURN: ["at-return", "hand-back"],
  };
  return kinds[stop.type].find((kind) => can(order, kind, stop.deliveryId)) ?? null;
}
