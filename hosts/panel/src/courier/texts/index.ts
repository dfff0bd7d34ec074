/** The app's texts in the current language. */

import { computed, effect } from "@preact/signals";
import { language } from "../../i18n/language";
import { en } from "./en";
import { pt } from "./pt";

export const texts = computed(() => (language.value === "pt" ? pt : en));

effect(() => {
  document.documentElement.lang = texts.value.locale;
});

/** The time of day on this phone. */
export function time(instant: string): string {
  return new Intl.DateTimeFormat(texts.value.locale, { hour: "2-digit", minute: "2-digit" }).format(
    new Date(instant),
  );
}

export function date(instant: string): string {
  return new Intl.DateTimeFormat(texts.value.locale, {
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
  }).format(new Date(instant));
}
