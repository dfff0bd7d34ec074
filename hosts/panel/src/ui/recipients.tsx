/** A recipient of an order, and the number of others. */

import type { Delivery, OrderRow } from "../api/wire";
import { orderListTexts } from "../i18n/orders";

/** Shows the first recipient, or the one of `delivery`. */
export function Recipients(props: { of: OrderRow; delivery?: Delivery | undefined }) {
  const shown = props.delivery ?? props.of.deliveries[0];
  const others = props.of.deliveries.length - 1;
  return (
    <>
      {shown?.name ?? shown?.address.street ?? "—"}
      {others > 0 && <span class="dim"> {orderListTexts.value.others(others)}</span>}
      <span class="sub">{shown?.address.neighborhood ?? shown?.address.city}</span>
    </>
  );
}
