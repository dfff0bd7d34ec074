/** The filter and the order of the order list. The filter stays while the operator opens an order. */

import { signal } from "@preact/signals";
import type { OrderRow, OrderSituation } from "../api/wire";
import { zone } from "../context";
import { nextDay, startOfDay } from "../format";
import { byUrgency } from "../lateness";
import { isFinal } from "../situations";
import type { OrderFilter } from "./api";
import { MIN_SEARCH } from "./ui/filters";

export interface ChosenStore {
  /** The text of the field. */
  text: string;
  /** The ID of the store that the text names. */
  id: number | null;
}

export interface Filter {
  search: string;
  situation: OrderSituation | "";
  store: ChosenStore;
  late: boolean;
  from: string;
  to: string;
}

export const noFilter = (): Filter => ({
  search: "",
  situation: "",
  store: { text: "", id: null },
  late: false,
  from: "",
  to: "",
});
export const filter = signal<Filter>(noFilter());
export const change = (part: Partial<Filter>) => (filter.value = { ...filter.value, ...part });

export const nameOf = (store: { name: string; id: number }): string => `${store.name} #${store.id}`;

/** Returns the filter of the API. The days are those of the page's time zone. */
export function query(of: Filter): OrderFilter {
  const search = of.search.trim();
  return {
    q: search.length < MIN_SEARCH ? undefined : search,
    situation: of.situation || undefined,
    storeId: of.store.id ?? undefined,
    late: of.late || undefined,
    from: of.from === "" ? undefined : startOfDay(of.from, zone.value).toISOString(),
    to: of.to === "" ? undefined : startOfDay(nextDay(of.to), zone.value).toISOString(),
  };
}

/** Open orders by urgency, then the others, newest first. */
export function sorted(rows: readonly OrderRow[], at: number): OrderRow[] {
  const closed = rows.filter((row) => isFinal(row.situation)).sort((a, b) => b.id - a.id);
  return [
    ...byUrgency(
      rows.filter((row) => !isFinal(row.situation)),
      at,
    ),
    ...closed,
  ];
}
