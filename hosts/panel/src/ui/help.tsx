/** The list of keyboard shortcuts. */

import { texts } from "../i18n";
import { helpTexts } from "../i18n/help";
import { PAGES, SUBMIT_KEYS, enabled, helpOpen, setEnabled } from "../shortcuts";
import { Dialog } from "./dialog";
import { CheckField } from "./field";

export function Help() {
  const t = helpTexts.value;
  const { nav, common } = texts.value;
  const close = () => (helpOpen.value = false);
  const keys: readonly (readonly [string, string])[] = [
    ["n", t.create],
    [SUBMIT_KEYS, t.submit],
    ["/", t.search],
    ["j", t.next],
    ["k", t.previous],
    ["Enter", t.open],
    ["p", t.ready],
    ...Object.entries(PAGES).map(([key, page]) => [`g ${key}`, nav[page]] as const),
    ["?", t.help],
    ["Esc", t.close],
  ];
  return (
    <Dialog title={t.title} close={close}>
      <dl class="keys">
        {keys.map(([key, label]) => (
          <div key={key}>
            <dt>
              {(key === SUBMIT_KEYS ? [key] : key.split(" ")).map((one, at) => (
                <>
                  {at > 0 && <span class="dim"> {t.followedBy} </span>}
                  <kbd>{one}</kbd>
                </>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{t.note}</p>
      <CheckField pointer="/shortcuts" label={t.use} value={enabled.value} set={setEnabled} />
      <div class="row end">
        <button type="button" class="button" onClick={close}>
          {common.close}
        </button>
      </div>
    </Dialog>
  );
}
