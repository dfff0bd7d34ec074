/** The filter of the order list. It stays while the operator opens an order. */

import { signal } from "@preact/signals";

export interface ChosenStore {
  /** The text of the field. */
  text: string;
  /** The ID of the store that the text names. */
  id: number | null;
}

export interface Filter {
  search: string;
  situation: string;
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
