// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import type { OrderRow, Store } from "./api/wire";
import { chosenDay, rows, shownDay, updateRow, updated } from "./live";
import { store } from "./session";

beforeEach(() => {
  store.value = { id: 7, matrix: null, address: { city: "Recife", state: "PE" } } as Store;
  [rows.value, chosenDay.value, updated.value] = [[], "", null];
});

const row = (id: number, part: Partial<OrderRow> = {}) =>
  ({
    id,
    code: `A-${id}`,
    situation: 200,
    createdAt: new Date().toISOString(),
    ...part,
  }) as OrderRow;
const shown = () => rows.value.map((one) => [one.id, one.situation]);
const OLD = "2026-01-02T15:00:00Z";

test("a new order comes first, and a known one changes in its place", () => {
  updateRow(row(1));
  updateRow(row(2));
  updateRow(row(1, { situation: 300 }));
  expect(shown()).toEqual([
    [2, 200],
    [1, 300],
  ]);
  expect(updated.value?.id).toBe(1);
});

test("the parts that a response lacks stay as they were", () => {
  updateRow(row(1, { storeName: "Matriz" }));
  updateRow(row(1, { situation: 210 }));
  expect(rows.value[0]).toMatchObject({ situation: 210, storeName: "Matriz" });
});

test("today's list has open orders of earlier days, and no finished ones", () => {
  updateRow(row(1, { createdAt: OLD }));
  updateRow(row(2, { createdAt: OLD, situation: 500 }));
  expect(shown()).toEqual([[1, 200]]);
});

test("the list of another day has only its orders", () => {
  chosenDay.value = "2026-01-02";
  expect(shownDay()).toBe("2026-01-02");
  updateRow(row(1, { createdAt: OLD, situation: 500 }));
  updateRow(row(2));
  expect(shown()).toEqual([[1, 500]]);
  // An order that is not in the list is known to other lists all the same.
  expect(updated.value?.id).toBe(2);
});
