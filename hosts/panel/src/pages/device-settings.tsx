/** How this device signals new notifications and late orders. */

import { useState } from "preact/hooks";
import { options, playSound, setOptions } from "../attention";
import { CheckField } from "../ui/field";
import { attentionTexts } from "../i18n/attention";

export function DeviceSettings() {
  const t = attentionTexts.value;
  const [isDenied, setDenied] = useState(false);
  const setBrowser = async (on: boolean) => {
    const isAllowed =
      on && "Notification" in window && (await Notification.requestPermission()) === "granted";
    setDenied(on && !isAllowed);
    setOptions({ browser: isAllowed });
  };
  return (
    <section class="card" data-testid="attention">
      <h2>{t.title}</h2>
      <p class="hint">{t.hint}</p>
      <div class="checks">
        <CheckField
          pointer="/sound"
          label={t.sound}
          value={options.value.sound}
          set={(sound) => setOptions({ sound })}
        />
        <CheckField
          pointer="/browser"
          label={t.browser}
          hint={t.browserHint}
          value={options.value.browser}
          set={(on) => void setBrowser(on)}
        />
        {isDenied && (
          <p class="field-error" role="alert">
            {t.denied}
          </p>
        )}
      </div>
      <p class="actions">
        <button type="button" class="button small" onClick={playSound}>
          {t.test}
        </button>
      </p>
    </section>
  );
}
