/** The sums of a comparison with past orders, which the API returns in portions. */

import type { FeeComparison, StoreComparison, TariffComparison } from "../../api/wire";

/** Adds the next portion: the stores of both, largest difference first. */
export function add(sum: TariffComparison, next: TariffComparison): TariffComparison {
  const stores = new Map<number, StoreComparison>(sum.stores.map((one) => [one.storeId, one]));
  for (const one of next.stores) {
    const before = stores.get(one.storeId);
    stores.set(one.storeId, before === undefined ? one : { ...one, ...fees(before, one) });
  }
  const sorted = [...stores.values()].sort(
    (a, b) => Math.abs(b.difference) - Math.abs(a.difference) || a.storeId - b.storeId,
  );
  return { ...next, ...fees(sum, next), stores: sorted };
}

function fees(a: FeeComparison, b: FeeComparison): FeeComparison {
  return {
    orders: a.orders + b.orders,
    currentFee: reais(a.currentFee, b.currentFee),
    draftFee: reais(a.draftFee, b.draftFee),
    difference: reais(a.difference, b.difference),
    outOfRange: a.outOfRange + b.outOfRange,
  };
}

/** Adds whole centavos, because sums of fractions such as 0.1 are inexact. */
function reais(a: number, b: number): number {
  return (Math.round(a * 100) + Math.round(b * 100)) / 100;
}

/** The share of the period that has been compared, 0 to 1. */
export function progress(of: TariffComparison): number {
  const [from, until, reached] = [of.from, of.until, of.comparedFrom].map(Date.parse) as [
    number,
    number,
    number,
  ];
  return (until - reached) / (until - from);
}
