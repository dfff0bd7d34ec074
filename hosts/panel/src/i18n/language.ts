/** The current language, shared by the panel and the courier's app. */

import { signal } from "@preact/signals";

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
