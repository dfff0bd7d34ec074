/** The panel's texts in the current language. */

import { computed, effect } from "@preact/signals";
import { credentials } from "../api/http";
import { en } from "./en";
import { language, setLanguage, type Language } from "./language";
import { pt } from "./pt";

export { language, setLanguage, type Language };
export const texts = computed(() => (language.value === "pt" ? pt : en));

effect(() => {
  document.documentElement.lang = texts.value.locale;
  credentials.language = language.value === "pt" ? "pt-BR" : "en";
});
