/** The customer of the typed telephone number, with the addresses of earlier orders. */

import { useEffect, useState } from "preact/hooks";
import { addressLine, date, day, localityLine, phone, phoneRequest } from "../format";
import { createTexts } from "../i18n/create";
import { paymentMethodTexts } from "../i18n/payment-methods";
import { findKnown, type Known } from "../known";
import { zone } from "../session";

const TYPING_MS = 300;

export function KnownCustomer(props: {
  typed: string;
  /** Selects the field with the value of the goods. */
  value: string;
  use: (known: Known) => void;
}) {
  const t = createTexts.value;
  const [found, setFound] = useState<{ number: string; all: Known[] }>({ number: "", all: [] });
  // Formatting the field does not change the number.
  const number = phoneRequest(props.typed);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // Without a network, or as one of too many requests, the form works as for a new customer.
      findKnown(number, stop.signal).then(
        (all) => stop.signal.aborted || setFound({ number, all }),
        () => undefined,
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [number]);
  const all = found.number === number ? found.all : [];
  return (
    <div class="known wide" role="group" aria-label={t.known} aria-live="polite">
      {all.map((one) => (
        <button
          key={one.at}
          type="button"
          class="button"
          onClick={(event) => {
            props.use(one);
            // What is collected at the door is the value of these goods. Otherwise Enter creates the order.
            const next = one.payment === "" ? "[type=submit]" : props.value;
            event.currentTarget.form?.querySelector<HTMLElement>(next)?.focus();
          }}
        >
          <span>
            <strong>{one.name || phone(number)}</strong> {addressLine(one.address)}
            <span class="sub">
              {[
                localityLine(one.address),
                t.lastOrder(date(day(new Date(one.at), zone.value))),
                one.paid ? t.paidBefore : one.payment && paymentMethodTexts.value[one.payment],
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </span>
        </button>
      ))}
    </div>
  );
}
