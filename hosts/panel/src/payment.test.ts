import { expect, test } from "vitest";
import type { Delivery } from "./api/wire";
import { doorPayments } from "./payment";

const stop = (given: Partial<Delivery>) =>
  ({ onlinePayment: false, situation: 150, productValue: null, ...given }) as Delivery;
const cash = (amount: number) =>
  ({ method: "CASH", amount, parts: [] }) as unknown as NonNullable<Delivery["payment"]>;
const summary = (...deliveries: Delivery[]) => {
  const found = doorPayments({ deliveries });
  return found && [found.deliveries.length, found.amount, found.isReceived];
};

test("what is paid online or cancelled is not collected", () => {
  expect(summary(stop({ onlinePayment: true, productValue: 10 }))).toBeNull();
  expect(summary(stop({ situation: 600, payment: cash(10) }))).toBeNull();
});

test("the sum of several doors is exact", () => {
  expect(summary(stop({ payment: cash(0.1) }), stop({ productValue: 0.2 }))).toEqual([
    2,
    0.3,
    false,
  ]);
});

test("one unknown amount makes the sum unknown", () => {
  expect(summary(stop({ payment: cash(10) }), stop({}))).toEqual([2, null, false]);
});

test("all doors must be paid", () => {
  const paid = { paymentsReceived: [{}] as NonNullable<Delivery["paymentsReceived"]> };
  expect(summary(stop({ payment: cash(10), ...paid }))).toEqual([1, 10, true]);
  expect(summary(stop({ payment: cash(10), ...paid }), stop({ payment: cash(5) }))).toEqual([
    2,
    15,
    false,
  ]);
});
