/** What is still to be collected at the door. */

import type { Order } from "./wire";

type Delivery = Order["deliveries"][number];

const centavos = (reais: number) => Math.round(reais * 100);

/**
 * Returns the amount in reais that is due without the payments that were recorded, or null if the
 * delivery is paid. Otherwise the recipient would pay again what the counter has already found in
 * the store's account.
 */
export function outstanding(of: Delivery): number | null {
  if (of.onlinePayment) return null;
  const recorded = of.paymentsReceived ?? [];
  const due = recorded.reduce(
    (left, one) => left - centavos(one.amount),
    centavos(of.productValue ?? 0),
  );
  return recorded.length > 0 && due <= 0 ? null : due / 100;
}

/** Returns the code of a delivery that is still to be paid by Pix, or null. */
export function openPix(of: Delivery) {
  const isRecorded = (of.paymentsReceived ?? []).some((one) => one.method === "PIX");
  return isRecorded || outstanding(of) === null ? null : (of.payment?.pix ?? null);
}
