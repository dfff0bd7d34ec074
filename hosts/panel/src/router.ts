/** Routing by URL fragment: any file server can serve the panel, and its routes cannot collide with API paths. */

import { computed, signal } from "@preact/signals";

function currentRoute(): string {
  return location.hash.replace(/^#/, "") || "/";
}

export const route = signal(currentRoute());
addEventListener("hashchange", () => (route.value = currentRoute()));

/** The segments of the path, without the query. */
export const parts = computed(() => (route.value.split("?")[0] ?? "").split("/").filter(Boolean));

/** The path without its query. */
export const path = computed(() => parts.value.join("/"));

/** A parameter of the route's query, or an empty string. */
export function parameter(name: string): string {
  return new URLSearchParams(route.value.split("?")[1] ?? "").get(name) ?? "";
}

export function go(to: string): void {
  location.hash = to;
}

/** Returns the URL of a route, for other devices. */
export const url = (to: string): string => `${location.origin}${location.pathname}#${to}`;

/** Changes the route without a new entry in the browser's history. */
export function replace(to: string): void {
  history.replaceState(history.state, "", `#${to}`);
  route.value = to;
}
