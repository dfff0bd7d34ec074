/** The panel's language. Each page has a module of texts in this folder, so that Vite splits them with the pages. */

import { effect } from "@preact/signals";
import { credentials } from "../api/http";
import { texts } from "./common";
import { language, setLanguage, type Language } from "./language";

export { language, setLanguage, texts, type Language };

effect(() => {
  document.documentElement.lang = texts.value.locale;
  credentials.language = language.value === "pt" ? "pt-BR" : "en";
});
