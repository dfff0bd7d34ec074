// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { OrderRow } from "./api/wire";
import { byColumn, columnOf } from "./board";

const NOW = Date.parse("2026-12-01T12:00:00Z");
const LATE = "2026-12-01T11:50:00Z";
const order = (situation: number, given: Partial<OrderRow> = {}) =>
  ({ id: 1, situation, expectedDelivery: null, ...given }) as unknown as OrderRow;

test.each([
  [100, {}, "preparing"],
  [110, {}, "preparing"],
  [110, { expectedDelivery: LATE }, "preparing"],
  [120, {}, "ready"],
  [200, {}, "ready"],
  [200, { expectedDelivery: LATE }, "problem"],
  [210, { leadMinutes: 10 }, "preparing"],
  [220, {}, "ready"],
  [220, { expectedDelivery: LATE }, "ready"],
  [310, {}, "out"],
  [320, { expectedDelivery: LATE }, "out"],
  [400, {}, "problem"],
  [410, {}, "problem"],
] as const)("situation %i with %j is in the column %s", (situation, given, column) => {
  expect(columnOf(order(situation, given), NOW)).toBe(column);
});

test("late orders come first in their column", () => {
  const rows = [order(110), order(110, { id: 2, expectedDelivery: LATE })];
  expect(
    byColumn(rows, NOW)
      .get("preparing")
      ?.map((row) => row.id),
  ).toEqual([2, 1]);
});
