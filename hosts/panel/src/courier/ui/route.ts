/** The screens by URL fragment, so that the phone's back button works. */

import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
addEventListener("hashchange", () => (hash.value = location.hash));

const SCREENS = ["settings", "device", "today"] as const;

export const route = computed<"trip" | (typeof SCREENS)[number]>(
  () => SCREENS.find((screen) => hash.value === `#${screen}`) ?? "trip",
);
