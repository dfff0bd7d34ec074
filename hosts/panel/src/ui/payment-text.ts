/** A payment at the door in words. */

import type { Delivery } from "../api/wire";
import { money } from "../format";
import { orderTexts } from "../i18n/order";
import { paymentMethodTexts } from "../i18n/payment-methods";

/** Returns the parts of a payment at the door: `cash R$ 30,00, change R$ 20,00 + card machine R$ 27,90`. */
export function paymentText(payment: NonNullable<Delivery["payment"]>): string {
  const isSplit = payment.parts.length > 1;
  const part = (one: (typeof payment.parts)[number]) =>
    paymentMethodTexts.value[one.method] +
    (isSplit ? ` ${money(one.amount)}` : "") +
    (one.change === null ? "" : `, ${orderTexts.value.change(money(one.change))}`);
  return payment.parts.map(part).join(" + ");
}
