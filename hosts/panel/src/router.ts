/** The page in the address's fragment: any server of files can serve the panel, and no path of the API is in the way. */

import { computed, signal } from "@preact/signals";

function read(): string {
  return location.hash.replace(/^#/, "") || "/orders";
}

export const route = signal(read());
addEventListener("hashchange", () => (route.value = read()));

/** The path's parts, without the query. */
export const parts = computed(() => (route.value.split("?")[0] ?? "").split("/").filter(Boolean));

export function go(to: string): void {
  location.hash = to;
}
