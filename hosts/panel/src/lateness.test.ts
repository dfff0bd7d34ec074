import { expect, test } from "vitest";
import type { OrderRow } from "./api/wire";
import { byUrgency, deliveredAt, lateness, minutesLate, promised } from "./lateness";

const NOW = Date.parse("2026-11-30T12:00:00Z");
/** The instant of a time of this day. */
const at = (time: string) => `2026-11-30T${time}:00Z`;

function order(
  promise: string | null,
  estimate: string | null,
  { id = 1, situation = 300 } = {},
): OrderRow {
  return {
    id,
    situation,
    expectedDelivery: promise === null ? null : at(promise),
    eta: estimate === null ? null : { delivery: at(estimate) },
  } as unknown as OrderRow;
}

test("an order is late from the first whole minute after the promised time", () => {
  expect(lateness(order("11:59", null), NOW)).toEqual({ minutes: 1, kind: "late" });
  expect(lateness(order("12:00", null), NOW)).toBeNull();
  expect(lateness(order("11:59", null), NOW - 1)).toBeNull();
});

test("an order whose estimate is later than its promise is expected to be late", () => {
  expect(lateness(order("12:10", "12:25"), NOW)).toEqual({ minutes: 15, kind: "expected" });
  expect(lateness(order("12:10", "12:10"), NOW)).toBeNull();
  expect(lateness(order("12:10", "12:05"), NOW)).toBeNull();
});

test("a late order shows the longer of both delays", () => {
  expect(lateness(order("11:50", "12:30"), NOW)).toEqual({ minutes: 40, kind: "late" });
  expect(lateness(order("11:50", "11:55"), NOW)).toEqual({ minutes: 10, kind: "late" });
});

test("an order without a promised time is measured by its estimate", () => {
  expect(promised(order(null, "11:30"))).toBe(at("11:30"));
  expect(lateness(order(null, "11:30"), NOW)).toEqual({ minutes: 30, kind: "late" });
  expect(lateness(order(null, null), NOW)).toBeNull();
});

test("an order is no longer late once its deliveries are over", () => {
  expect(lateness(order("11:00", null, { situation: 330 }), NOW)?.kind).toBe("late");
  expect(lateness(order("11:00", null, { situation: 400 }), NOW)).toBeNull();
  expect(lateness(order("11:00", null, { situation: 500 }), NOW)).toBeNull();
});

test("late orders come first, then those that will be late, then the others by promised time", () => {
  const rows = [
    order(null, null, { id: 7 }),
    order("13:10", "13:30", { id: 8 }),
    order("13:00", null, { id: 6 }),
    order("12:30", null, { id: 5 }),
    order("12:20", "12:40", { id: 4 }),
    order("11:50", null, { id: 3 }),
    order("11:40", null, { id: 2 }),
    order(null, null, { id: 1 }),
  ];
  expect(byUrgency(rows, NOW).map((row) => row.id)).toEqual([2, 3, 4, 8, 5, 6, 1, 7]);
  // The given list stays as it was.
  expect(rows[0]?.id).toBe(7);
});

test("the time of delivery is that of the last stop", () => {
  const event = (type: string, time: string) => ({ type, createdAt: at(time) });
  const events = [
    event("delivery.delivered", "11:20"),
    event("delivery.delivered", "11:40"),
    event("order.completed", "11:45"),
  ] as unknown as NonNullable<OrderRow["events"]>;
  expect(deliveredAt({ events })).toBe(at("11:40"));
  expect(deliveredAt({ events: [] })).toBeNull();
  expect(deliveredAt({})).toBeNull();
});

test("a delivery is late by whole minutes after the promised time", () => {
  expect(minutesLate(order("11:00", null), at("11:25"))).toBe(25);
  expect(minutesLate(order("11:00", null), at("10:50"))).toBe(0);
  expect(minutesLate(order(null, "11:00"), at("11:25"))).toBeNull();
});
