import { expect, test } from "vitest";
import { byOrder } from "./earnings";
import type { PayEntry } from "./wire";

const entry = (id: number, orderId: number | null, amount: number, minute: number): PayEntry => ({
  id,
  createdAt: `2026-11-30T21:${String(minute).padStart(2, "0")}:00.000Z`,
  type: "delivery",
  quantity: 1,
  amount,
  payer: "OPERATOR",
  storeId: null,
  orderId,
  orderCode: orderId === null ? null : `PED-${orderId}`,
  planVersion: "1",
  corrects: null,
  reason: null,
  actor: null,
});

test("entries are grouped by order, and the last order comes first", () => {
  const found = byOrder([
    entry(1, 7, 0.1, 1),
    entry(2, 7, 0.2, 1),
    entry(3, 8, 4, 5),
    entry(4, null, -2.5, 9),
    entry(5, 7, 5, 7),
  ]);
  expect(found.map(({ key, code, amount }) => [key, code, amount])).toEqual([
    ["other", null, -2.5],
    ["7", "PED-7", 5.3],
    ["8", "PED-8", 4],
  ]);
  expect(found[1]?.entries.map(({ id }) => id)).toEqual([1, 2, 5]);
});

test("a day without entries has no orders", () => {
  expect(byOrder([])).toEqual([]);
});
