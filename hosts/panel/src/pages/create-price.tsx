/** The price of the order that the user types, and the reason if there is none. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, NetworkError } from "../api/http";
import type { Preview } from "../api/wire";
import { kilometres, money } from "../format";
import { addressOf, draft, formPointer, hasPlace, previewRequest } from "../order-draft";
import { inPage, preview, type Quotation } from "../preview";
import { zone } from "../session";
import type { AddressDraft } from "../address-draft";
import { fieldErrorsOf } from "../ui/field";
import { When } from "../ui/parts";
import { Price } from "../ui/order-parts";
import { createTexts } from "../i18n/create";
import { orderTexts } from "../i18n/order";

/** Wide screens show the price breakdown without a click. */
const wideScreen = matchMedia("(min-width: 64rem)");
/** The delay after the last input before a price is requested from the server, or computed in the page. */
const DEBOUNCE_MS = 200;
const DEBOUNCE_IN_PAGE_MS = 20;

export function PricePanel(props: { of: PriceState }) {
  const t = createTexts.value;
  const { quoted, busy } = props.of;
  const found: Preview | null = quoted?.preview ?? null;
  const missing = missingFields();
  return (
    <section class="card" aria-busy={busy}>
      <h2>{t.price}</h2>
      <p class={`amount${busy ? " old" : ""}`} aria-live="polite" data-testid="price">
        {found === null ? "—" : money(found.deliveryFee)}
      </p>
      {found !== null && <Estimate of={found} />}
      {found === null && busy && <p class="hint">{t.priceTyping}</p>}
      {found === null && !busy && (
        <p class="hint" data-testid="price-reason">
          {missing ?? reasonOf(props.of.error)}
        </p>
      )}
      {found !== null && missing !== null && (
        <p class="warn-text" data-testid="price-reason">
          {t.pricePartial} {missing}
        </p>
      )}
      {found !== null && (
        <details open={wideScreen.matches}>
          <summary>{t.breakdown}</summary>
          <Price lines={found.priceBreakdown} total={found.deliveryFee} />
          <dl class="facts">
            <div class="fact">
              <dt>{t.distance}</dt>
              <dd>{kilometres(found.totalDistance)}</dd>
            </div>
            <div class="fact">
              <dt>{t.pickup}</dt>
              <dd>
                <When at={found.expectedPickup} zone={zone.value} />
              </dd>
            </div>
            <div class="fact">
              <dt>{t.arrival}</dt>
              <dd>
                <When at={found.expectedDelivery} zone={zone.value} />
              </dd>
            </div>
          </dl>
          {found.estimated && <p class="hint">{orderTexts.value.estimated}</p>}
          <p class="hint" data-source={quoted?.source}>
            {quoted?.source === "page" ? t.inPage : t.onServer}
          </p>
        </details>
      )}
    </section>
  );
}

/** Marks a price that changes when the address is completed, with its range. */
function Estimate(props: { of: Preview }) {
  const t = createTexts.value;
  const { estimated, deliveryFeeMin: min, deliveryFeeMax: max } = props.of;
  const isWide = min != null && max != null && min < max;
  if (!estimated && !isWide) return null;
  return (
    <p class="estimate" data-testid="estimate">
      {estimated && <span class="badge warn">{t.estimatedPrice}</span>}
      {isWide && <span class="number"> {t.priceRange(money(min), money(max))}</span>}
    </p>
  );
}

/** Names the fields without which a delivery has no price, or returns `null`. */
function missingFields(): string | null {
  const t = createTexts.value;
  const { deliveries } = draft.value;
  const found = deliveries.flatMap((_, at) => {
    if (hasPlace(draft.value, at)) return [];
    const text = missingField(addressOf(draft.value, at));
    return [deliveries.length > 1 ? `${t.delivery(at + 1)}: ${text}` : text];
  });
  return found.length === 0 ? null : found.join(" ");
}

function missingField(address: AddressDraft): string {
  const t = createTexts.value;
  if (/\d/.test(address.zipCode)) return t.missingZip;
  if (address.city.trim() !== "") return address.state === "" ? t.missingState : t.missingStreet;
  return address.state !== "" ? t.missingCity : t.missingAddress;
}

function reasonOf(error: unknown): string {
  const t = createTexts.value;
  if (error instanceof NetworkError) return t.priceOffline;
  const fields = fieldErrorsOf(error);
  if (fields.length > 0) return t.priceInvalid(fields.map((one) => one.detail).join(" "));
  return error instanceof ApiError ? error.problem.detail : t.priceTyping;
}

export interface PriceState {
  quoted: Quotation | null;
  busy: boolean;
  fieldErrors: ReturnType<typeof fieldErrorsOf>;
  /** The reason why there is no price. */
  error: unknown;
  /** Replaces the displayed price. */
  replace: (quoted: Quotation) => void;
}

const NO_PRICE = { quoted: null, busy: false, fieldErrors: [], error: null };

/** Computes the price of the draft after each change. */
export function usePrice(): PriceState {
  const [state, setState] = useState<Omit<PriceState, "replace">>(NO_PRICE);
  const { body, stops } = previewRequest(draft.value);
  const text = JSON.stringify(body);
  const isFirst = useRef(true);
  // Before the next paint, so that the price of earlier input is marked at once.
  useLayoutEffect(() => {
    // A restored draft needs no debounce.
    const delay = isFirst.current ? 0 : inPage.value ? DEBOUNCE_IN_PAGE_MS : DEBOUNCE_MS;
    isFirst.current = false;
    if (stops.length === 0) {
      setState(NO_PRICE);
      return;
    }
    const stop = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      preview(body, stop.signal).then(
        (quoted) => {
          if (!stop.signal.aborted) setState({ ...NO_PRICE, quoted });
        },
        (failure: unknown) => {
          if (!stop.signal.aborted)
            setState({ ...NO_PRICE, fieldErrors: mapPointers(failure, stops), error: failure });
        },
      );
    }, delay);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, inPage.value]);
  return { ...state, replace: (quoted) => setState({ ...NO_PRICE, quoted }) };
}

/** Returns the errors of a preview at the fields of the form. */
const mapPointers = (error: unknown, stops: readonly number[]) =>
  fieldErrorsOf(error).map((one) => ({ ...one, pointer: formPointer(one.pointer, stops) }));
