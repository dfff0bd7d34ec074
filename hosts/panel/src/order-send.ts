/** Sends a new order at the price that the user sees. */

import { orders } from "./api/client";
import { ApiError, NetworkError, invalidFields, newIdempotencyKey, whenOnline } from "./api/http";
import type { Order } from "./api/wire";
import { hasPlace, missingContacts, orderRequest, previewRequest, type Draft } from "./order-draft";
import { validate, type Quotation } from "./preview";

/** A quote that expires sooner than this is replaced before the order is sent. */
const QUOTE_MARGIN_MS = 20_000;

/** Throws the errors that need no stored data, so that a typing mistake causes no request and no notification of a failed order. */
export async function checkOrder(from: Draft): Promise<void> {
  const found = await validate(orderRequest(from));
  const all = [
    ...found,
    ...missingContacts(from).filter(
      (missing) => !found.some((one) => one.pointer === missing.pointer),
    ),
  ];
  if (all.length > 0) throw new ApiError(invalidFields(all));
}

/** The fee differs from the displayed fee, so the user must confirm it. */
export class PriceChangedError extends Error {
  constructor(readonly quoted: Quotation) {
    super();
  }
}

/** Retries a call after network errors until it gets a response; throws API errors. */
async function retryWhenOnline<T>(
  what: () => Promise<T>,
  signal: AbortSignal,
  setPhase: (phase: "sending" | "waiting") => void,
): Promise<T> {
  for (;;) {
    setPhase("sending");
    try {
      return await what();
    } catch (failure) {
      if (!(failure instanceof NetworkError)) throw failure;
      setPhase("waiting");
      await whenOnline(signal);
    }
  }
}

/** Creates the order at the displayed price. All attempts share one idempotency key, so the order is created only once. */
export async function sendOrder(
  from: Draft,
  shown: Quotation | null,
  signal: AbortSignal,
  setPhase: (phase: "sending" | "waiting") => void,
): Promise<Order> {
  const order = orderRequest(from);
  const quote = shown?.preview.quote ?? null;
  let quoteId =
    quote !== null && Date.parse(quote.expiresAt) > Date.now() + QUOTE_MARGIN_MS
      ? quote.id
      : undefined;
  if (
    quoteId === undefined &&
    shown !== null &&
    from.deliveries.every((_, at) => hasPlace(from, at))
  ) {
    const fresh = await retryWhenOnline(
      () => orders.preview(previewRequest(from).body, signal),
      signal,
      setPhase,
    ).catch((failure: unknown) => {
      // The order fails for the same reason, and its response reports all invalid fields.
      if (failure instanceof ApiError) return null;
      throw failure;
    });
    if (fresh !== null && fresh.deliveryFee !== shown.preview.deliveryFee)
      throw new PriceChangedError({ preview: fresh, source: "server" });
    quoteId = fresh?.quote?.id;
  }
  const body = quoteId === undefined ? order : { ...order, quoteId };
  const key = newIdempotencyKey();
  return retryWhenOnline(() => orders.create(body, key), signal, setPhase);
}
