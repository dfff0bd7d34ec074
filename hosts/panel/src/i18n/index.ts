/** Which language, and its words. */

import { computed, effect, signal } from "@preact/signals";
import { credentials } from "../api/http";
import { en } from "./en";
import { pt } from "./pt";

export type Language = "pt" | "en";

const KEPT = "despacho.language";

function initial(): Language {
  try {
    const kept = localStorage.getItem(KEPT);
    if (kept === "pt" || kept === "en") return kept;
  } catch {
    // A browser that keeps nothing gets its own language each time.
  }
  const wanted = navigator.languages.find((tag) => /^(pt|en)\b/i.test(tag));
  return wanted !== undefined && /^en/i.test(wanted) ? "en" : "pt";
}

export const language = signal<Language>(initial());
export const texts = computed(() => (language.value === "pt" ? pt : en));

export function choose(wanted: Language): void {
  language.value = wanted;
  try {
    localStorage.setItem(KEPT, wanted);
  } catch {
    // The choice then applies to this page only.
  }
}

effect(() => {
  document.documentElement.lang = texts.value.locale;
  credentials.language = language.value === "pt" ? "pt-BR" : "en";
});
