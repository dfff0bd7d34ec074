/** Routing by URL fragment: any file server can serve the panel, and its routes cannot collide with API paths. */

import { computed, signal } from "@preact/signals";

function currentRoute(): string {
  return location.hash.replace(/^#/, "") || "/orders";
}

export const route = signal(currentRoute());
addEventListener("hashchange", () => (route.value = currentRoute()));

/** The segments of the path, without the query. */
export const parts = computed(() => (route.value.split("?")[0] ?? "").split("/").filter(Boolean));

/** The path without its query. */
export const path = computed(() => parts.value.join("/"));

export function go(to: string): void {
  location.hash = to;
}
