/** Labels and receipts of an order. They are visible only on paper. */

import { useEffect } from "preact/hooks";
import type { Delivery, OrderDetails } from "../api/wire";
import { now } from "../clock";
import { addressLine, dateTime, localityLine, money, phone, zoneOf } from "../format";
import { texts } from "../i18n";
import { printTexts } from "../i18n/print";
import { deliveredAt } from "../lateness";
import { storeName } from "../session";
import { Price } from "./order-parts";
import { QrCode } from "./qr";
import "../styles/print.css";

export type Sheet = "label" | "receipt";

/** Prints a sheet as soon as it is in the document, and removes it afterwards. */
export function PrintSheet(props: { order: OrderDetails; sheet: Sheet; close: () => void }) {
  useEffect(() => {
    addEventListener("afterprint", props.close);
    print();
    return () => removeEventListener("afterprint", props.close);
  }, []);
  return <div class="print-sheet">{props.sheet === "label" ? <Labels order={props.order} /> : <Receipt order={props.order} />}</div>;
}

const CANCELLED = 600;

/** One label for each delivery, because each can be in a bag of its own. */
function Labels(props: { order: OrderDetails }) {
  const stops = props.order.deliveries.filter((stop) => stop.situation !== CANCELLED);
  return (
    <>
      {stops.map((stop) => (
        <Label key={stop.id} order={props.order} stop={stop} count={stops.length} />
      ))}
    </>
  );
}

function Label(props: { order: OrderDetails; stop: Delivery; count: number }) {
  const t = printTexts.value;
  const { order, stop } = props;
  return (
    <section class="label">
      <div class="label-text">
        <p class="label-code">{order.code}</p>
        {props.count > 1 && <p>{t.of(stop.orderRoute, props.count)}</p>}
        <p class="label-name">{stop.name ?? "—"}</p>
        <p>{addressLine(stop.address)}</p>
        <p>{stop.address.neighborhood ?? localityLine(stop.address)}</p>
        <p class="label-from">{storeName(order.storeId)}</p>
      </div>
      <div class="label-side">
        <QrCode text={stop.trackingUrl ?? String(order.id)} label={t.qr} class="label-qr" />
        <p>{t.pickupCode}</p>
        <p class="label-pickup">{order.pickupCode}</p>
      </div>
    </section>
  );
}

function Receipt(props: { order: OrderDetails }) {
  const t = printTexts.value;
  const { order } = props;
  const zone = zoneOf(order.pickupAddress);
  const pickedUp = order.events.find((event) => event.type === "order.picked_up")?.createdAt ?? null;
  const times: readonly (readonly [string, string | null])[] = [
    [t.created, order.createdAt], [t.promised, order.expectedDelivery], [t.pickedUp, pickedUp], [t.delivered, deliveredAt(order)],
  ];
  return (
    <section class="receipt">
      <h2>{storeName(order.storeId)}</h2>
      <p>{addressLine(order.pickupAddress)}</p>
      <p>{localityLine(order.pickupAddress)}</p>
      <h3>{t.receipt}: {order.code}</h3>
      <p>#{order.id} · {texts.value.situations[order.situation]}</p>
      {order.deliveries.map((stop) => (
        <ReceiptStop key={stop.id} stop={stop} />
      ))}
      <h3>{t.price}</h3>
      <Price lines={order.priceBreakdown} total={order.deliveryFee} />
      <dl>
        {times.map(([name, at]) => at !== null && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{dateTime(at, zone)}</dd>
          </div>
        ))}
      </dl>
      <p class="receipt-end">{t.printed} {dateTime(new Date(now.value).toISOString(), zone)}</p>
    </section>
  );
}

function ReceiptStop(props: { stop: Delivery }) {
  const t = texts.value.order;
  const { stop } = props;
  return (
    <div class="receipt-stop">
      <p><strong>{stop.orderRoute}. {stop.name ?? ""}</strong>{stop.phone !== null && ` ${phone(stop.phone)}`}</p>
      <p>{addressLine(stop.address)}</p>
      <p>{localityLine(stop.address)}</p>
      <p>{stop.onlinePayment ? t.paid : t.collect}{stop.productValue !== null && ` ${money(stop.productValue)}`}</p>
      {stop.observation !== null && <p>{stop.observation}</p>}
    </div>
  );
}
