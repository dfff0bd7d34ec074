/** The choice of the language. */

import { language, setLanguage, texts } from "../i18n";

export function LanguageSwitch() {
  return (
    <div class="languages" role="group" aria-label={texts.value.language}>
      {(["pt", "en"] as const).map((one) => (
        <button
          key={one}
          type="button"
          class="link"
          lang={one}
          aria-pressed={language.value === one}
          onClick={() => setLanguage(one)}
        >
          {one === "pt" ? "Português" : "English"}
        </button>
      ))}
    </div>
  );
}
