/** A table of the orders of the user's stores, with the times of each. */

import { useEffect, useRef } from "preact/hooks";
import type { Delivery, OrderRow } from "../api/wire";
import { duration, zoneOf } from "../format";
import { deliveredAt, minutesLate, promised } from "../lateness";
import { requestHistory } from "../live";
import { branches, isParentStore, storeName } from "../session";
import { isFinal } from "../situations";
import { LatenessText } from "../ui/lateness";
import { OrderTable } from "../ui/order-table";
import { When, Window } from "../ui/parts";
import { ReadyButton } from "../ui/ready";
import { orderListTexts } from "../i18n/orders";

interface Props {
  rows: readonly OrderRow[];
  /** The title of the column with the promised or actual time. */
  due: string;
  label?: string;
  /** Whether these are the orders that are being worked on. */
  isOpen?: boolean;
  /** Returns the delivery that represents the order; without it, the first one. */
  delivery?: (row: OrderRow) => Delivery | undefined;
}

export function OwnOrders(props: Props) {
  const showStore = isParentStore.value && branches.value.length > 0;
  return (
    <OrderTable
      rows={props.rows}
      {...(props.label === undefined ? {} : { label: props.label })}
      {...(props.delivery === undefined ? {} : { delivery: props.delivery })}
      {...(showStore ? { store: (row: OrderRow) => storeName(row.storeId) } : {})}
      {...(props.isOpen ? { action: (row: OrderRow) => <ReadyButton of={row} /> } : {})}
      due={{
        head: props.due,
        isEmpty: isDueEmpty,
        cell: (row) => <Due of={row} zone={zoneOf(row.pickupAddress)} />,
      }}
    />
  );
}

/** The promised time of an open order and its lateness, or the delivery time of a finished order. */
function Due(props: { of: OrderRow; zone: string }) {
  const { of } = props;
  if (isFinal(of.situation)) return <Delivered {...props} />;
  const next = nextWindow(of);
  return (
    <>
      <When at={promised(of)} zone={props.zone} />
      <LatenessText of={of} class="sub" />
      {next?.window !== undefined && (
        <Window of={next.window} zone={zoneOf(next.address)} class="sub" />
      )}
    </>
  );
}

/** The open delivery whose window ends first. */
function nextWindow(of: OrderRow): Delivery | undefined {
  const end = (one: Delivery) => Date.parse(one.window?.until ?? "");
  return of.deliveries
    .filter((one) => one.window !== undefined && !isFinal(one.situation))
    .sort((a, b) => end(a) - end(b))[0];
}

/** The history of a finished order is loaded when its row becomes visible. */
function Delivered(props: { of: OrderRow; zone: string }) {
  const t = orderListTexts.value;
  const { of } = props;
  const box = useRef<HTMLSpanElement>(null);
  const isMissing = of.events === undefined && hasDelivery(of);
  useEffect(() => {
    if (!isMissing || box.current === null) return;
    const watch = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) requestHistory(of.id);
    });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [isMissing, of.id]);
  const at = deliveredAt(of);
  const late = at === null ? null : minutesLate(of, at);
  return (
    <span ref={box}>
      <When at={at} zone={props.zone} />
      {late !== null && (
        <span class={`sub ${late === 0 ? "plus" : "late"}`}>
          {late === 0 ? t.onTime : t.lateBy(duration(late))}
        </span>
      )}
    </span>
  );
}

const hasDelivery = (order: OrderRow) => order.deliveries.some((stop) => stop.situation === 500);
const isDueEmpty = (order: OrderRow) =>
  isFinal(order.situation) ? !hasDelivery(order) : promised(order) === null;
