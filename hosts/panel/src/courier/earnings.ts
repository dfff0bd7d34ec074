/** What the courier earned: the last earnings that the service returned, grouped by order. */

import { signal } from "@preact/signals";
import { sumOfReais } from "../brazil";
import type { Earnings, PayEntry } from "./wire";

/** Today's earnings, or null while they are unknown. */
export const earned = signal<Earnings | null>(null);

/** The entries of an order, or those without an order. */
export interface EarnedOrder {
  key: string;
  code: string | null;
  amount: number;
  at: string;
  entries: readonly PayEntry[];
}

/** Returns the entries by order, the last order first. Amounts are added in whole centavos. */
export function byOrder(entries: readonly PayEntry[]): EarnedOrder[] {
  const groups = new Map<string, PayEntry[]>();
  for (const entry of entries) {
    const key = entry.orderId === null ? "other" : String(entry.orderId);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const orders = [...groups].map(([key, own]) => ({
    key,
    code: own[0]?.orderCode ?? null,
    amount: sumOfReais(own.map(({ amount }) => amount)),
    at: own.reduce((last, { createdAt }) => (createdAt > last ? createdAt : last), ""),
    entries: own,
  }));
  return orders.sort((a, b) => b.at.localeCompare(a.at));
}
