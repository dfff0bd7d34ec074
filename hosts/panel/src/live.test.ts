// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OrderRow, Store } from "./api/wire";
import { chosenDay, load, rows, shownDay, updateRow, updated } from "./live";
import { store } from "./session";

beforeEach(() => {
  store.value = { id: 7, matrix: null, address: { city: "Recife", state: "PE" } } as Store;
  [rows.value, chosenDay.value, updated.value] = [[], "", null];
});

afterEach(() => vi.unstubAllGlobals());

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

/** Lets a test answer each list of orders of the day; there are no open orders of earlier days. */
function holdLists(): ((...orders: OrderRow[]) => void)[] {
  const lists: ((...orders: OrderRow[]) => void)[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    const answer = (orders: OrderRow[]) =>
      new Response(JSON.stringify({ orders, nextCursor: null }));
    return url.includes("open=true")
      ? Promise.resolve(answer([]))
      : new Promise<Response>((done) => lists.push((...orders) => done(answer(orders))));
  });
  return lists;
}

test("an order that is read while the list is loaded stays as it was read", async () => {
  const lists = holdLists();
  const loading = load();
  await vi.waitFor(() => expect(lists).toHaveLength(1));
  updateRow(row(1, { situation: 300 }));
  updateRow(row(2));
  lists[0]?.(row(1));
  await loading;
  expect(shown()).toEqual([
    [2, 200],
    [1, 300],
  ]);
});

test("an older list does not replace a newer one", async () => {
  const lists = holdLists();
  const [older, newer] = [load(), load()];
  await vi.waitFor(() => expect(lists).toHaveLength(2));
  lists[1]?.(row(1), row(2));
  await newer;
  lists[0]?.(row(1));
  await older;
  expect(shown().map(([id]) => id)).toEqual([1, 2]);
});
