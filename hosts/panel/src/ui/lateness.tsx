/** The promised time of an order, and how late the order is. Both are updated by the clock. */

import type { OrderRow } from "../api/wire";
import { now } from "../clock";
import { duration } from "../format";
import { deliveredAt, lateness, minutesLate, promised } from "../lateness";
import { isFinal } from "../situations";
import { When } from "./parts";
import { orderListTexts } from "../i18n/orders";

/** The lateness of an open order in words, or nothing. */
export function LatenessText(props: { of: OrderRow; class?: string }) {
  const t = orderListTexts.value;
  const found = lateness(props.of, now.value);
  if (found === null) return null;
  const time = duration(found.minutes);
  return (
    <span class={`${props.class ?? ""} ${found.kind === "late" ? "late" : "warn-text"}`}>
      {found.kind === "late" ? t.lateNow(time) : t.lateExpected(time)}
    </span>
  );
}

/** `promised 11:29, in 14 min`, or when the order was delivered. */
export function PromisedTime(props: { of: OrderRow; zone: string }) {
  const t = orderListTexts.value;
  const { of, zone } = props;
  if (isFinal(of.situation)) return <DeliveredTime {...props} />;
  const due = promised(of);
  if (due === null) return null;
  const left = Math.floor((Date.parse(due) - now.value) / 60_000);
  const late = lateness(of, now.value);
  return (
    <span class="promised">
      {of.expectedDelivery === null ? t.estimatedAt : t.promisedAt}{" "}
      <strong class="number">
        <When at={due} zone={zone} />
      </strong>
      {late?.kind !== "late" && left >= -1 && `, ${left < 1 ? t.dueNow : t.within(duration(left))}`}
      {late !== null && ", "}
      <LatenessText of={of} />
    </span>
  );
}

function DeliveredTime(props: { of: OrderRow; zone: string }) {
  const t = orderListTexts.value;
  const at = deliveredAt(props.of);
  if (at === null) return null;
  const late = minutesLate(props.of, at);
  return (
    <span class="promised">
      {t.deliveredAt}{" "}
      <strong class="number">
        <When at={at} zone={props.zone} />
      </strong>
      {late !== null && ", "}
      {late !== null && (
        <span class={late === 0 ? "plus" : "late"}>
          {late === 0 ? t.onTime : t.lateBy(duration(late))}
        </span>
      )}
    </span>
  );
}
