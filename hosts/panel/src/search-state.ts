/** What the list of orders and the results of a search share. */

import { signal } from "@preact/signals";

export type View = "open" | "closed" | "all";
/** Why the API rejects the words, or an empty string. */
export const searchError = signal("");
