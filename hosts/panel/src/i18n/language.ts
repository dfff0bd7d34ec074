/** The current language, shared by the panel and the courier's app. */

import { computed, signal, type ReadonlySignal } from "@preact/signals";

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

export function setLanguage(chosen: Language): void {
  language.value = chosen;
  try {
    localStorage.setItem(STORAGE_KEY, chosen);
  } catch {
    // Without storage, the choice applies only to this page.
  }
}

/** Returns texts in the current language. Both languages have the same shape, so a missing translation is a type error. */
export const translated = <T>(en: T, pt: NoInfer<T>): ReadonlySignal<T> =>
  computed(() => (language.value === "pt" ? pt : en));
