/** What the couriers of an order collect, in a cell of a list. */

import type { Order } from "../api/wire";
import { money } from "../format";
import { orderListTexts } from "../i18n/orders";
import { doorPayments } from "../payment";
import { paymentText } from "./payment-text";

export function DoorPayment(props: { of: Order }) {
  const t = orderListTexts.value;
  const found = doorPayments(props.of);
  if (found === null) return <span class="dim">{t.paid}</span>;
  const [first, ...others] = found.deliveries;
  const method = first?.payment === undefined ? "" : paymentText(first.payment);
  return (
    <>
      <span class={found.isReceived ? "" : "warn-text"}>
        {found.amount === null ? t.collect : money(found.amount)}
      </span>
      <span class="sub">
        {found.isReceived ? t.received : others.length > 0 ? t.doors(others.length + 1) : method}
      </span>
    </>
  );
}
