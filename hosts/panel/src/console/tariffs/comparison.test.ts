import { expect, test } from "vitest";
import type { TariffComparison } from "../../api/wire";
import { add, progress } from "./comparison";

type Fees = [orders: number, current: number, draft: number, difference: number];

const fees = ([orders, currentFee, draftFee, difference]: Fees) => ({
  orders,
  currentFee,
  draftFee,
  difference,
  outOfRange: 1,
});

function portion(total: Fees, stores: Record<number, Fees>, nextCursor: string | null) {
  return {
    from: "2026-11-01T00:00:00.000Z",
    until: "2026-11-05T00:00:00.000Z",
    comparedFrom: nextCursor === null ? "2026-11-01T00:00:00.000Z" : "2026-11-04T00:00:00.000Z",
    ...fees(total),
    stores: Object.entries(stores).map(([id, of]) => ({
      storeId: Number(id),
      storeName: `Loja ${id}`,
      ...fees(of),
    })),
    nextCursor,
  } satisfies TariffComparison;
}

test("portions add up to the centavo, and stores are sorted by their difference", () => {
  const first = portion([3, 0.3, 0.1, -0.2], { 2: [2, 0.2, 0.1, -0.1], 1: [1, 0.1, 0, -0.1] }, "c");
  const second = portion(
    [3, 40.4, 41.1, 0.7],
    { 1: [1, 20.1, 20.3, 0.2], 3: [2, 20.3, 20.8, 0.5] },
    null,
  );
  expect(add(first, second)).toEqual({
    ...second,
    orders: 6,
    currentFee: 40.7,
    draftFee: 41.2,
    difference: 0.5,
    outOfRange: 2,
    stores: [
      { storeId: 3, storeName: "Loja 3", ...fees([2, 20.3, 20.8, 0.5]) },
      { storeId: 1, storeName: "Loja 1", ...fees([2, 20.2, 20.3, 0.1]), outOfRange: 2 },
      { storeId: 2, storeName: "Loja 2", ...fees([2, 0.2, 0.1, -0.1]) },
    ],
  });
});

test("the progress is the share of the period", () => {
  expect(progress(portion([0, 0, 0, 0], {}, "c"))).toBe(0.25);
  expect(progress(portion([0, 0, 0, 0], {}, null))).toBe(1);
});
