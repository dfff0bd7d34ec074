/** Labels of the bags and the counter's receipt of an order. They are visible only on paper. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Delivery, OrderDetails } from "../api/wire";
import { now } from "../clock";
import { addressLine, dateTime, localityLine, money, phone, zoneOf } from "../format";
import { texts } from "../i18n";
import { printTexts } from "../i18n/print";
import { deliveredAt } from "../lateness";
import { url } from "../router";
import { storeName } from "../session";
import { Price } from "./order-parts";
import { QrCode } from "./qr";
import "../styles/print.css";
import { orderTexts } from "../i18n/order";
import { paymentMethodTexts } from "../i18n/payment-methods";
import { CANCELLED } from "../situations";

export type Sheet = "label" | "receipt";

/** Prints a sheet as soon as it is in the document, and removes it afterwards. */
export function PrintSheet(props: { order: OrderDetails; sheet: Sheet; close: () => void }) {
  return props.sheet === "label" ? (
    <Paper close={props.close}>
      <Labels order={props.order} />
    </Paper>
  ) : (
    <PrintRoll close={props.close}>
      <Receipt order={props.order} />
    </PrintRoll>
  );
}

/** Prints a receipt on a roll of 80 mm. */
export function PrintRoll(props: { close: () => void; children: ComponentChildren }) {
  return (
    <Paper close={props.close} isRoll>
      {props.children}
    </Paper>
  );
}

function Paper(props: { close: () => void; isRoll?: boolean; children: ComponentChildren }) {
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const own = props.isRoll === true && sheet.current !== null ? receiptPage(sheet.current) : null;
    if (own !== null) document.adoptedStyleSheets.push(own);
    addEventListener("afterprint", props.close);
    print();
    return () => {
      removeEventListener("afterprint", props.close);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== own);
    };
  }, []);
  return (
    <div class="print-sheet" ref={sheet}>
      {props.children}
    </div>
  );
}

const MM_PER_PX = 25.4 / 96;
const MARGIN_MM = 4;

/** The page of a receipt is as long as its content, so that a printer with a roll does not feed blank paper. CSS has no such size. */
function receiptPage(sheet: HTMLElement): CSSStyleSheet {
  // One millimetre is for rounding: a receipt that does not fit continues on a second page.
  const height = Math.ceil(sheet.getBoundingClientRect().height * MM_PER_PX) + 2 * MARGIN_MM + 1;
  const style = new CSSStyleSheet();
  style.replaceSync(`@page receipt { size: 80mm ${height}mm; margin: ${MARGIN_MM}mm; }`);
  return style;
}

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

/** A label is seen by everyone who holds the bag, so it has none of the codes, and its link needs the store's session. The recipient's link
 * would show the delivery code to the courier. */
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
        <QrCode text={url(`/orders/${order.id}`)} label={t.qr} class="label-qr" />
        <p>#{order.id}</p>
        <Payment stop={stop} class="label-payment" />
      </div>
    </section>
  );
}

/** Whether the recipient pays, and how. */
function Payment(props: { stop: Delivery; class?: string }) {
  const { stop } = props;
  const t = printTexts.value;
  if (stop.onlinePayment) return <p class={props.class}>{t.paid}</p>;
  const { payment } = stop;
  return (
    <p class={props.class}>
      {t.collect}
      {stop.productValue !== null && (
        <>
          {" "}
          <strong>{money(stop.productValue)}</strong>
        </>
      )}
      {payment !== undefined && (
        <>
          <span class="dot"> · </span>
          {paymentMethodTexts.value[payment.method]}
        </>
      )}
      {payment !== undefined &&
        payment.change !== null &&
        `, ${orderTexts.value.change(money(payment.change))}`}
    </p>
  );
}

function Receipt(props: { order: OrderDetails }) {
  const t = printTexts.value;
  const { order } = props;
  const zone = zoneOf(order.pickupAddress);
  const pickedUp =
    order.events.find((event) => event.type === "order.picked_up")?.createdAt ?? null;
  const times: readonly (readonly [string, string | null])[] = [
    [t.created, order.createdAt],
    [t.promised, order.expectedDelivery],
    [t.pickedUp, pickedUp],
    [t.delivered, deliveredAt(order)],
  ];
  return (
    <section class="receipt">
      <h2>{storeName(order.storeId)}</h2>
      <p>{addressLine(order.pickupAddress)}</p>
      <p>{localityLine(order.pickupAddress)}</p>
      <h3>
        {t.receipt}: {order.code}
      </h3>
      <p>
        #{order.id} · {texts.value.situations[order.situation]}
      </p>
      {pickedUp === null && (
        <p class="receipt-pickup">
          {t.pickupCode} <strong>{order.pickupCode}</strong>
          <span>{t.counter}</span>
        </p>
      )}
      {order.deliveries.map((stop) => (
        <ReceiptStop key={stop.id} stop={stop} />
      ))}
      <h3>{t.price}</h3>
      <Price lines={order.priceBreakdown} total={order.deliveryFee} />
      <dl>
        {times.map(
          ([name, at]) =>
            at !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{dateTime(at, zone)}</dd>
              </div>
            ),
        )}
      </dl>
      <p class="receipt-end">
        {t.printed} {dateTime(new Date(now.value).toISOString(), zone)}
      </p>
    </section>
  );
}

function ReceiptStop(props: { stop: Delivery }) {
  const { stop } = props;
  return (
    <div class="receipt-stop">
      <p>
        <strong>
          {stop.orderRoute}. {stop.name ?? ""}
        </strong>
        {stop.phone !== null && ` ${phone(stop.phone)}`}
      </p>
      <p>{addressLine(stop.address)}</p>
      <p>{localityLine(stop.address)}</p>
      {stop.onlinePayment && stop.productValue !== null ? (
        <p>
          {printTexts.value.paid} {money(stop.productValue)}
        </p>
      ) : (
        <Payment stop={stop} />
      )}
      {stop.observation !== null && <p>{stop.observation}</p>}
    </div>
  );
}
