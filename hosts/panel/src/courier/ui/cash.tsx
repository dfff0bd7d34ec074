/** The cash that the courier has in hand, by store. */

import { useEffect, useState } from "preact/hooks";
import { money } from "../../brazil";
import { api } from "../api";
import { waiting } from "../state";
import { texts } from "../texts";
import type { CourierCash } from "../wire";

/** Without a network, or before all steps are sent, nothing is shown: an old amount would be a wrong one. */
export function CashInHand() {
  const t = texts.value.cash;
  const [found, setFound] = useState<CourierCash | null>(null);
  const isSent = waiting.value.length === 0;
  useEffect(() => {
    if (!isSent) return;
    let isCurrent = true;
    const show = (cash: CourierCash | null) => {
      if (isCurrent) setFound(cash);
    };
    const read = () => {
      if (!document.hidden) api.cash().then(show, () => show(null));
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => {
      isCurrent = false;
      document.removeEventListener("visibilitychange", read);
      setFound(null);
    };
  }, [isSent]);
  if (found === null || found.stores.length === 0) return null;
  return (
    <section class="card cash" aria-labelledby="cash" data-testid="cash">
      <h2 id="cash">{t.title}</h2>
      <dl>
        {found.stores.map((store) => (
          <div key={store.storeId}>
            <dt>
              {store.storeName ?? `#${store.storeId}`}
              <span class="dim"> {t.parts(money(store.float), money(store.collected))}</span>
            </dt>
            <dd>{money(store.inHand)}</dd>
          </div>
        ))}
      </dl>
      {found.cashLimit !== null && <p class="dim">{t.limit(money(found.cashLimit))}</p>}
    </section>
  );
}
