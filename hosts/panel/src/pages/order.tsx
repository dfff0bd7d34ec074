import { useEffect, useMemo, useState } from "preact/hooks";
import { orders } from "../api/client";
import { ApiError } from "../api/http";
import { streaming } from "../api/stream";
import type { Delivery, Location, Order, OrderDetails, OrderEvent, PriceLine } from "../api/wire";
import { addressLine, kilometres, money, phone, localityLine, quantity, timeWithSeconds, zoneOf } from "../format";
import { texts } from "../i18n";
import { lastEvent, updateRow } from "../live";
import { storeName } from "../session";
import { OUT_FOR_DELIVERY, isFinal, isMoving, mark, phase } from "../situations";
import { lazy } from "../ui/lazy";
import { PromisedTime } from "../ui/lateness";
import { useLoad } from "../ui/load";
import { RouteMap, type Mark } from "../ui/map";
import { Age, Empty, Fact, Failure, Loading, Page, Situation, When } from "../ui/parts";
import { notify } from "../ui/toast";
import { OrderActions, StopActions } from "./order-actions";
import { Proofs, Tracking } from "./order-proofs";

const PrintSheet = lazy(() => import("../ui/print").then((module) => module.PrintSheet), 0);

/** The interval for polling a moving courier's position, and the order if there is no event stream. */
const POLL_MS = 5_000;

export function OrderPage(props: { id: number }) {
  const t = texts.value.order;
  const order = useLoad(() => orders.get(props.id), [props.id]);
  const [printed, setPrinted] = useState<Printed | null>(null);
  const event = lastEvent.value;
  useEffect(() => {
    if (event?.orderId === props.id) order.reload();
  }, [event]);
  const situation = order.value?.situation ?? 0;
  const moving = isMoving(situation);
  const live = streaming.value;
  useEffect(() => {
    if (situation >= 500) return;
    if (live && !moving) return;
    const timer = setInterval(() => {
      if (!document.hidden) order.reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [situation, moving, live]);

  if (order.value === null) {
    const missing = order.error instanceof ApiError && order.error.problem.code === "order_not_found";
    return (
      <Page title={t.title(`#${props.id}`)}>
        {missing ? <Empty text={t.missing} hint={t.missingHint} /> : order.error !== null ? <Failure error={order.error} retry={order.reload} /> : <Loading lines={8} />}
      </Page>
    );
  }
  const found = order.value;
  const onChange = (changed: Order) => {
    order.set({ ...found, ...changed });
    order.reload();
    updateRow(changed);
    notify(t.done);
  };
  return (
    <Page title={t.title(found.code)} aside={<OrderActions order={found} onChange={onChange} />}>
      <Heading order={found} />
      <div class="order-grid">
        <div class="order-main">
          <MapPanel order={found} />
          <Stops order={found} onChange={onChange} />
        </div>
        <div class="order-side">
          <Codes order={found} />
          <PrintButtons print={setPrinted} />
          <Timeline order={found} />
          <section class="card">
            <h2>{t.price}</h2>
            <Price lines={found.priceBreakdown} total={found.deliveryFee} />
          </section>
          <Proofs order={found} />
          <Facts order={found} />
        </div>
      </div>
      {printed !== null && <PrintSheet key={printed.at} order={found} sheet={printed.sheet} close={() => setPrinted(null)} />}
    </Page>
  );
}

function Heading(props: { order: OrderDetails }) {
  const { order } = props;
  const reached = phase(order.situation);
  const zone = zoneOf(order.pickupAddress.state);
  return (
    <div class="heading">
      <Situation of={order.situation} />
      <span>
        <When at={order.createdAt} zone={zone} /> · <Age since={order.createdAt} until={order.situation >= 500 ? (order.events.at(-1)?.createdAt ?? null) : null} />
      </span>
      <PromisedTime of={order} zone={zone} />
      <span class="dim">{storeName(order.storeId)}</span>
      {order.deliveryMan !== null && (
        <span>
          {order.deliveryMan.name} · <a href={`tel:${order.deliveryMan.phone}`}>{phone(order.deliveryMan.phone)}</a>
        </span>
      )}
      <div class={`steps ${order.situation >= 510 ? "stopped" : ""}`} aria-hidden="true">
        {[0, 1, 2, 3, 4].map((step) => (
          <i key={step} class={step <= reached ? "on" : ""} />
        ))}
      </div>
    </div>
  );
}

function MapPanel(props: { order: OrderDetails }) {
  const { order } = props;
  const t = texts.value.order;
  const situations = order.deliveries.map((one) => [one.id, one.situation, one.orderRoute]);
  const mapKey = JSON.stringify([order.pickupLocation, situations, order.deliveryMan, order.situation]);
  const { marks, path, approximate } = useMemo(() => mapContent(order), [mapKey, t]);
  return (
    <section class="card map-card">
      <h2 class="unseen">{t.route}</h2>
      <RouteMap label={t.map} marks={marks} path={path} />
      {approximate && <p class="hint">{t.approximate}</p>}
    </section>
  );
}

/** The situation of a cancelled delivery, which is not on the route. */
const CANCELLED = 600;
/** Locations with at least this uncertainty, in metres, get a circle. */
const APPROXIMATE_M = 150;

function withRadius(at: Location): { latitude: number; longitude: number; radius: number } {
  return { latitude: at.latitude, longitude: at.longitude, radius: at.radiusM >= APPROXIMATE_M ? at.radiusM : 0 };
}

function mapContent(order: OrderDetails): { marks: Mark[]; path: [number, number][]; approximate: boolean } {
  const t = texts.value.order;
  const start = order.pickupLocation;
  const marks: Mark[] = [{ name: `${t.pickup}: ${addressLine(order.pickupAddress)}`, label: t.letter, ...withRadius(start), kind: "pickup" }];
  const path: [number, number][] = [[start.latitude, start.longitude]];
  for (const stop of order.deliveries) {
    if (stop.situation === CANCELLED) continue;
    const name = `${stop.orderRoute}: ${stop.name ?? addressLine(stop.address)}`;
    marks.push({ name, label: String(stop.orderRoute), ...withRadius(stop.location), kind: mark(stop.situation) });
    path.push([stop.location.latitude, stop.location.longitude]);
  }
  if (returnsToPickup(order)) path.push([start.latitude, start.longitude]);
  const approximate = marks.some((mark) => mark.radius > 0);
  const courier = order.deliveryMan;
  if (courier !== null && courier.latitude !== null && courier.longitude !== null && order.situation < 500) {
    marks.push({ name: courier.name, label: "", latitude: courier.latitude, longitude: courier.longitude, radius: 0, kind: "courier" });
  }
  return { marks, path, approximate };
}

/** Whether the courier returns to the pickup with a payment or goods. */
function returnsToPickup(order: OrderDetails): boolean {
  return order.deliveries.some((stop) => !stop.onlinePayment || [400, 410, 540].includes(stop.situation));
}

function Stops(props: { order: OrderDetails; onChange: (order: Order) => void }) {
  const { order } = props;
  const t = texts.value.order;
  return (
    <section class="card">
      <h2>{t.stops}</h2>
      <ol class="stops">
        <li>
          <span class="stop-mark pickup" aria-hidden="true">{t.letter}</span>
          <div>
            <p class="strong">{t.pickup}</p>
            <p>{addressLine(order.pickupAddress)}</p>
            <p class="dim">{localityLine(order.pickupAddress)}</p>
          </div>
        </li>
        {order.deliveries.map((stop) => (
          <Stop key={stop.id} stop={stop} order={order} onChange={props.onChange} />
        ))}
        {returnsToPickup(order) && (
          <li>
            <span class="stop-mark pickup" aria-hidden="true">{t.letter}</span>
            <div>
              <p class="strong">{t.returnStop}</p>
            </div>
          </li>
        )}
      </ol>
    </section>
  );
}

function Stop(props: { stop: Delivery; order: OrderDetails; onChange: (order: Order) => void }) {
  const { stop } = props;
  const t = texts.value.order;
  return (
    <li>
      <span class={`stop-mark ${mark(stop.situation)}`} aria-hidden="true">{stop.orderRoute}</span>
      <div class="stop">
        <p class="row between">
          <span class="strong">{stop.name ?? t.stop(stop.orderRoute)}</span>
          <Situation of={stop.situation} />
        </p>
        <p>{addressLine(stop.address)}</p>
        <p class="dim">{localityLine(stop.address)}</p>
        {stop.observation !== null && (
          <p class="quote">
            <span class="unseen">{t.note}: </span>
            {stop.observation}
          </p>
        )}
        <p class="bits">
          {stop.phone !== null && <a href={`tel:${stop.phone}`}>{phone(stop.phone)}</a>}
          {stop.situation !== CANCELLED && <span class="number">{kilometres(stop.distance)}</span>}
          {stop.precision !== "coordinates" && stop.precision !== "number" && <span class="warn-text">{texts.value.precision[stop.precision] ?? stop.precision}</span>}
          <span class={stop.onlinePayment ? "" : "warn-text"}>
            {stop.onlinePayment ? t.paid : t.collect}
            {stop.productValue !== null && ` ${money(stop.productValue)}`}
          </span>
          <span class={isFinal(stop.situation) ? "used" : undefined}>
            {t.deliveryCode} <strong class="number">{stop.deliveryCode}</strong>
            {isFinal(stop.situation) && <span class="unseen"> {t.codeOver}</span>}
          </span>
        </p>
        <Tracking stop={stop} />
        <StopActions stop={stop} order={props.order} onChange={props.onChange} />
      </div>
    </li>
  );
}

export function Price(props: { lines: readonly PriceLine[]; total: number }) {
  const t = texts.value;
  const unit = (line: PriceLine) => {
    if (line.rule === "distance" || line.rule === "return_distance") return kilometres(line.quantity);
    if (line.rule === "window") return `${quantity(line.quantity)} %`;
    return line.quantity === 1 ? "" : `× ${quantity(line.quantity)}`;
  };
  return (
    <table class="price">
      <tbody>
        {props.lines.map((line, at) => (
          <tr key={at}>
            <th scope="row">{t.rules[line.rule] ?? line.rule}</th>
            <td class="dim number">{unit(line)}</td>
            <td class="right number">{money(line.amount)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t.order.total}</th>
          <td />
          <td class="right number">{money(props.total)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function Codes(props: { order: OrderDetails }) {
  const t = texts.value.order;
  const { order } = props;
  const isPickedUp = order.situation >= OUT_FOR_DELIVERY;
  const isClosed = isFinal(order.situation);
  return (
    <section class="card">
      <h2>{t.codes}</h2>
      <dl class="codes">
        <Fact name={t.pickupCode} hint={isPickedUp ? t.codeOver : t.pickupCodeHint}>
          <strong class={isPickedUp ? "code used" : "code"}>{order.pickupCode}</strong>
        </Fact>
        {order.returnCode !== null && (
          <Fact name={t.returnCode} hint={isClosed ? t.codeOver : t.returnCodeHint}>
            <strong class={isClosed ? "code used" : "code"}>{order.returnCode}</strong>
          </Fact>
        )}
      </dl>
    </section>
  );
}

interface Printed {
  sheet: "label" | "receipt";
  at: number;
}

function PrintButtons(props: { print: (printed: Printed) => void }) {
  const t = texts.value.order;
  return (
    <p class="row">
      <button type="button" class="button" onClick={() => props.print({ sheet: "label", at: Date.now() })}>{t.printLabel}</button>
      <button type="button" class="button" onClick={() => props.print({ sheet: "receipt", at: Date.now() })}>{t.printReceipt}</button>
    </p>
  );
}

function Timeline(props: { order: OrderDetails }) {
  const t = texts.value.order;
  const { order } = props;
  const zone = zoneOf(order.pickupAddress.state);
  const names = new Map(order.deliveries.map((stop) => [stop.id, stop.name ?? t.stop(stop.orderRoute)]));
  return (
    <section class="card">
      <h2>{t.timeline}</h2>
      <ol class="timeline">
        {[...order.events].sort((a, b) => b.sequence - a.sequence).map((event) => (
          <li key={event.id}>
            <time class="number" dateTime={event.createdAt}>
              {timeWithSeconds(event.createdAt, zone)}
            </time>
            <div>
              <p>
                {event.description}
                {event.deliveryId !== null && <span class="dim"> · {names.get(event.deliveryId)}</span>}
              </p>
              {event.reason !== null && <p>{t.reason(reasonText(event))}</p>}
              <p class="dim">{actorName(event)}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The platform and recipients have fixed names in the API. */
function actorName(event: OrderEvent): string {
  const { name } = event.requestedBy;
  if (name === "platform") return texts.value.order.platform;
  return name === "recipient" ? texts.value.people.recipient : name;
}

/** A recipient's choice is a name in the API; other reasons are texts. */
function reasonText(event: OrderEvent): string {
  const reason = event.reason ?? "";
  const choices: Record<string, string> = texts.value.people.choices;
  return event.type === "delivery.recipient_choice" ? (choices[reason] ?? reason) : reason;
}

function Facts(props: { order: OrderDetails }) {
  const t = texts.value.order;
  const { order } = props;
  const zone = zoneOf(order.pickupAddress.state);
  return (
    <section class="card">
      <h2>{t.details}</h2>
      <dl class="facts">
        <Fact name={t.id}>
          <span class="number">{order.id}</span>
          {order.fullCode !== null && ` · ${order.fullCode}`}
        </Fact>
        <Fact name={t.origin}>{t.origins[order.origin] ?? order.origin}</Fact>
        <Fact name={t.preparation}>{t.minutes(order.preparationTime)}</Fact>
        <Fact name={t.expectedPickup}><When at={order.expectedPickup} zone={zone} /></Fact>
        <Fact name={t.expectedDelivery}><When at={order.expectedDelivery} zone={zone} /></Fact>
        {order.eta && order.eta.pickup !== null && <Fact name={t.etaPickup}><When at={order.eta.pickup} zone={zone} /></Fact>}
        {order.eta && <Fact name={t.etaDelivery}><When at={order.eta.delivery} zone={zone} /></Fact>}
        {order.leadMinutes !== undefined && <Fact name={t.lead}>{t.minutes(order.leadMinutes)}</Fact>}
        <Fact name={t.distance}>{kilometres(order.totalDistance)}</Fact>
      </dl>
      {order.estimated && <p class="hint">{t.estimated}</p>}
    </section>
  );
}
