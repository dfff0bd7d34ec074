/** The receipt of a closing, on paper of 80 mm. It is visible only on paper. */

import type { ClosedCash } from "../api/wire";
import { closingLines, slipsTotal } from "../cash";
import { dateTime, money } from "../format";
import { cashTexts } from "../i18n/cash";
import { zone } from "../session";
import { PrintRoll } from "./print";

export function PrintClosing(props: { of: ClosedCash; close: () => void }) {
  const t = cashTexts.value;
  const { closing, reason, period, closedAt } = props.of;
  return (
    <PrintRoll close={props.close}>
      <section class="receipt">
        <h2>{closing.storeName}</h2>
        <h3>
          {t.close}: {closing.courierName}
        </h3>
        <p>
          {t.period(period)} · {dateTime(closedAt, zone.value)}
        </p>
        <dl>
          {closingLines(closing).map(([name, amount]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{money(amount)}</dd>
            </div>
          ))}
          {closing.toStoreDirectly !== 0 && (
            <div>
              <dt>{t.direct}</dt>
              <dd>{money(closing.toStoreDirectly)}</dd>
            </div>
          )}
        </dl>
        {reason !== null && (
          <p>
            {t.reason}: {reason}
          </p>
        )}
        {closing.slips.length > 0 && (
          <>
            <h3>
              {t.slipsTotal}: {money(slipsTotal(closing.slips))}
            </h3>
            {closing.slips.map((slip, at) => (
              <p key={at}>
                {money(slip.amount)} {slip.brand ?? ""} {slip.authorisation ?? ""}
              </p>
            ))}
          </>
        )}
        <p class="receipt-sign">{t.signature}</p>
        <p class="receipt-sign">{t.counter}</p>
      </section>
    </PrintRoll>
  );
}
