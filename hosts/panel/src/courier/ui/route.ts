/** The screens by URL fragment, so that the phone's back button works. */

import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
addEventListener("hashchange", () => (hash.value = location.hash));

export const route = computed<"trip" | "settings" | "device">(() => {
  if (hash.value === "#settings") return "settings";
  return hash.value === "#device" ? "device" : "trip";
});
