/** The current language and its texts. */

import { computed, effect, signal } from "@preact/signals";
import { credentials } from "../api/http";
import { en } from "./en";
import { pt } from "./pt";

export type Language = "pt" | "en";

const STORAGE_KEY = "despacho.language";

function initialLanguage(): Language {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    if (stored === "pt" || stored === "en") return stored;
  } catch {
    // Without storage, each visit starts in the browser's language.
  }
  const preferred = navigator.languages.find((tag) => /^(pt|en)\b/i.test(tag));
  return preferred !== undefined && /^en/i.test(preferred) ? "en" : "pt";
}

export const language = signal<Language>(initialLanguage());
export const texts = computed(() => (language.value === "pt" ? pt : en));

export function setLanguage(chosen: Language): void {
  language.value = chosen;
  try {
    localStorage.setItem(STORAGE_KEY, chosen);
  } catch {
    // Without storage, the choice applies only to this page.
  }
}

effect(() => {
  document.documentElement.lang = texts.value.locale;
  credentials.language = language.value === "pt" ? "pt-BR" : "en";
});
