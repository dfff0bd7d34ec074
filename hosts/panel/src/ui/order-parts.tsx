/** The parts of an order's page that the panel and the operator's console share. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type {
  Delivery,
  Location,
  OrderDetails,
  OrderEvent,
  OrderRoute,
  PriceLine,
  RouteLeg,
} from "../api/wire";
import {
  addressLine,
  kilometres,
  localityLine,
  money,
  phone,
  quantity,
  timeWithSeconds,
  zoneOf,
} from "../format";
import { CANCELLED, isFinal, mark, phase } from "../situations";
import { aboutOrder, aboutYourOrder } from "../whatsapp";
import { PromisedTime } from "./lateness";
import { lazy } from "./lazy";
import type { Mark } from "./map";
import { Age, Fact, Situation, When, Window } from "./parts";
import { paymentText } from "./payment-text";
import { WhatsApp } from "./whatsapp";
import { orderTexts } from "../i18n/order";
import { peopleTexts } from "../i18n/people";
import { priceTexts } from "../i18n/price";

const LoadFacts = lazy(() => import("./load-facts").then((module) => module.LoadFacts), 0);
const RouteMap = lazy(() => import("./map").then((module) => module.RouteMap), 0);

/** The status, the times, the store and the courier, whose name is a link if `courierUrl` is the URL before the ID. */
export function Heading(props: {
  order: OrderDetails;
  store: ComponentChildren;
  courierUrl?: string;
}) {
  const { order } = props;
  const reached = phase(order.situation);
  const zone = zoneOf(order.pickupAddress);
  return (
    <div class="heading">
      <Situation of={order.situation} />
      <span>
        <When at={order.createdAt} zone={zone} /> ·{" "}
        <Age
          since={order.createdAt}
          until={order.situation >= 500 ? (order.events.at(-1)?.createdAt ?? null) : null}
        />
      </span>
      <PromisedTime of={order} zone={zone} />
      <span class="dim">{props.store}</span>
      {order.deliveryMan !== null && (
        <span>
          {props.courierUrl === undefined ? (
            order.deliveryMan.name
          ) : (
            <a href={props.courierUrl + order.deliveryMan.id}>{order.deliveryMan.name}</a>
          )}{" "}
          · <a href={`tel:${order.deliveryMan.phone}`}>{phone(order.deliveryMan.phone)}</a>{" "}
          <WhatsApp
            phone={order.deliveryMan.phone}
            text={aboutOrder(order.deliveryMan.name, order)}
            label={`WhatsApp: ${order.deliveryMan.name}`}
          />
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

export function MapPanel(props: {
  order: OrderDetails;
  loadRoute: (id: number) => Promise<OrderRoute>;
}) {
  const { order, loadRoute } = props;
  const t = orderTexts.value;
  const situations = order.deliveries.map((one) => [one.id, one.situation, one.orderRoute]);
  const mapKey = JSON.stringify([
    order.pickupLocation,
    situations,
    order.deliveryMan,
    order.situation,
  ]);
  const { marks, path, approximate } = useMemo(() => mapContent(order), [mapKey, t]);
  const [legs, setLegs] = useState<readonly RouteLeg[]>();
  const pathKey = JSON.stringify(path);
  useEffect(() => {
    let isCurrent = true;
    setLegs(undefined);
    // If the request fails, the map shows straight lines.
    loadRoute(order.id).then(
      (route) => isCurrent && setLegs(route.legs),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [order.id, pathKey]);
  return (
    <section class="card map-card">
      <h2 class="unseen">{t.route}</h2>
      <div class="map-box">
        <RouteMap label={t.map} marks={marks} path={path} legs={legs} />
      </div>
      {approximate && <p class="hint">{t.approximate}</p>}
    </section>
  );
}

/** Locations with at least this uncertainty, in metres, get a circle. */
const APPROXIMATE_M = 150;

function withRadius(at: Location): { latitude: number; longitude: number; radius: number } {
  return {
    latitude: at.latitude,
    longitude: at.longitude,
    radius: at.radiusM >= APPROXIMATE_M ? at.radiusM : 0,
  };
}

function mapContent(order: OrderDetails): {
  marks: Mark[];
  path: [number, number][];
  approximate: boolean;
} {
  const t = orderTexts.value;
  const start = order.pickupLocation;
  const marks: Mark[] = [
    {
      name: `${t.pickup}: ${addressLine(order.pickupAddress)}`,
      label: t.letter,
      ...withRadius(start),
      kind: "pickup",
    },
  ];
  const path: [number, number][] = [[start.latitude, start.longitude]];
  for (const stop of order.deliveries) {
    if (stop.situation === CANCELLED) continue;
    const name = `${stop.orderRoute}: ${stop.name ?? addressLine(stop.address)}`;
    marks.push({
      name,
      label: String(stop.orderRoute),
      ...withRadius(stop.location),
      kind: mark(stop.situation),
    });
    path.push([stop.location.latitude, stop.location.longitude]);
  }
  if (returnsToPickup(order)) path.push([start.latitude, start.longitude]);
  const approximate = marks.some((mark) => mark.radius > 0);
  const courier = order.deliveryMan;
  if (
    courier !== null &&
    courier.latitude !== null &&
    courier.longitude !== null &&
    order.situation < 500
  ) {
    marks.push({
      name: courier.name,
      label: "",
      latitude: courier.latitude,
      longitude: courier.longitude,
      radius: 0,
      kind: "courier",
    });
  }
  return { marks, path, approximate };
}

/** What the service did differently from the request, such as a telephone number that it could not read. */
export function Notices(props: { of: OrderDetails["notices"] }) {
  return props.of.length === 0 ? null : (
    <div class="notices" role="status">
      {props.of.map((one, at) => (
        <p key={at} class="notice">
          {one.detail}
        </p>
      ))}
    </div>
  );
}

/** Whether the courier returns to the pickup with a payment or goods. */
function returnsToPickup(order: OrderDetails): boolean {
  return order.deliveries.some(
    (stop) =>
      (!stop.onlinePayment && (stop.payment?.returns ?? true)) ||
      [400, 410, 540].includes(stop.situation),
  );
}

interface StopProps {
  order: OrderDetails;
  /** Content below the facts of a stop, such as its actions. */
  extra: (stop: Delivery) => ComponentChildren;
}

export function Stops(props: StopProps) {
  const { order } = props;
  const t = orderTexts.value;
  return (
    <section class="card">
      <h2>{t.stops}</h2>
      <ol class="stops">
        <li>
          <span class="stop-mark pickup" aria-hidden="true">
            {t.letter}
          </span>
          <div>
            <p class="strong">{t.pickup}</p>
            <p>{addressLine(order.pickupAddress)}</p>
            <p class="dim">{localityLine(order.pickupAddress)}</p>
            {order.pickupInstructions !== undefined && (
              <p class="quote">{order.pickupInstructions}</p>
            )}
          </div>
        </li>
        {order.deliveries.map((stop) => (
          <Stop key={stop.id} order={order} stop={stop} extra={props.extra} />
        ))}
        {returnsToPickup(order) && (
          <li>
            <span class="stop-mark pickup" aria-hidden="true">
              {t.letter}
            </span>
            <div>
              <p class="strong">{t.returnStop}</p>
            </div>
          </li>
        )}
      </ol>
    </section>
  );
}

function Stop(props: StopProps & { stop: Delivery }) {
  const { stop } = props;
  const t = orderTexts.value;
  const name = stop.name ?? t.stop(stop.orderRoute);
  return (
    <li>
      <span class={`stop-mark ${mark(stop.situation)}`} aria-hidden="true">
        {stop.orderRoute}
      </span>
      <div class="stop">
        <p class="row between">
          <span class="strong">{name}</span>
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
          <WhatsApp
            phone={stop.phone}
            text={aboutYourOrder(stop.name, props.order)}
            label={`WhatsApp: ${name}`}
          />
          {stop.situation !== CANCELLED && <span class="number">{kilometres(stop.distance)}</span>}
          {stop.precision !== "coordinates" && stop.precision !== "number" && (
            <span class="warn-text">
              {priceTexts.value.precision[stop.precision] ?? stop.precision}
            </span>
          )}
          <span class={stop.onlinePayment ? "" : "warn-text"}>
            {stop.onlinePayment ? t.paid : t.collect}
            {stop.productValue !== null && ` ${money(stop.productValue)}`}
            {stop.payment !== undefined && ` · ${paymentText(stop.payment)}`}
          </span>
          {stop.window !== undefined && <Window of={stop.window} zone={zoneOf(stop.address)} />}
          <span class={isFinal(stop.situation) ? "used" : undefined}>
            {t.deliveryCode} <strong class="number">{stop.deliveryCode}</strong>
            {isFinal(stop.situation) && <span class="unseen"> {t.codeOver}</span>}
          </span>
        </p>
        {props.extra(stop)}
      </div>
    </li>
  );
}

export function Price(props: { lines: readonly PriceLine[]; total: number }) {
  const unit = (line: PriceLine) => {
    if (line.rule === "distance" || line.rule === "return_distance")
      return kilometres(line.quantity);
    if (line.rule === "window") return `${quantity(line.quantity)} %`;
    return line.quantity === 1 ? "" : `× ${quantity(line.quantity)}`;
  };
  return (
    <table class="price">
      <tbody>
        {props.lines.map((line, at) => (
          <tr key={at}>
            <th scope="row">{priceTexts.value.rules[line.rule] ?? line.rule}</th>
            <td class="dim number">{unit(line)}</td>
            <td class="right number">{money(line.amount)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{orderTexts.value.total}</th>
          <td />
          <td class="right number">{money(props.total)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

export function Timeline(props: { order: OrderDetails }) {
  const t = orderTexts.value;
  const { order } = props;
  const zone = zoneOf(order.pickupAddress);
  const names = new Map(
    order.deliveries.map((stop) => [stop.id, stop.name ?? t.stop(stop.orderRoute)]),
  );
  return (
    <section class="card">
      <h2>{t.timeline}</h2>
      <ol class="timeline">
        {[...order.events]
          .sort((a, b) => b.sequence - a.sequence)
          .map((event) => (
            <li key={event.id}>
              <time class="number" dateTime={event.createdAt}>
                {timeWithSeconds(event.createdAt, zone)}
              </time>
              <div>
                <p>
                  {event.description}
                  {event.deliveryId !== null && (
                    <span class="dim"> · {names.get(event.deliveryId)}</span>
                  )}
                </p>
                {event.reason !== null && <p>{reasonText(event)}</p>}
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
  if (name === "platform") return orderTexts.value.platform;
  return name === "recipient" ? peopleTexts.value.recipient : name;
}

/** Returns the reason in words. Choices, messages and the reasons of connected systems are names in the API; other reasons are texts, which are quoted. */
function reasonText(event: OrderEvent): string {
  const reason = event.reason ?? "";
  const named = (names: Record<string, string>) => names[reason] ?? orderTexts.value.reason(reason);
  if (event.type === "delivery.recipient_choice") return named(peopleTexts.value.choices);
  if (event.type === "recipient.notify") return named(peopleTexts.value.notify);
  // A connected system can add a text to the name.
  const [, name = "", text = ""] = /^([A-Z]+(?:_[A-Z]+)+|OTHER)(?:: (.*))?$/s.exec(reason) ?? [];
  const known = (orderTexts.value.connectedReasons as Record<string, string>)[name];
  return known === undefined
    ? orderTexts.value.reason(reason)
    : text === ""
      ? known
      : `${known}: ${orderTexts.value.reason(text)}`;
}

export function Facts(props: { order: OrderDetails }) {
  const t = orderTexts.value;
  const { order } = props;
  const zone = zoneOf(order.pickupAddress);
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
        {order.deliverAt !== undefined && (
          <Fact name={t.deliverAt}>
            <When at={order.deliverAt} zone={zone} />
          </Fact>
        )}
        {order.preparationStartsAt !== undefined && (
          <Fact name={t.preparationStart}>
            <When at={order.preparationStartsAt} zone={zone} />
          </Fact>
        )}
        <Fact name={t.expectedPickup}>
          <When at={order.expectedPickup} zone={zone} />
        </Fact>
        <Fact name={t.expectedDelivery}>
          <When at={order.expectedDelivery} zone={zone} />
        </Fact>
        {order.eta && order.eta.pickup !== null && (
          <Fact name={t.etaPickup}>
            <When at={order.eta.pickup} zone={zone} />
          </Fact>
        )}
        {order.eta && (
          <Fact name={t.etaDelivery}>
            <When at={order.eta.delivery} zone={zone} />
          </Fact>
        )}
        {order.leadMinutes !== undefined && (
          <Fact name={t.lead}>{t.minutes(order.leadMinutes)}</Fact>
        )}
        <Fact name={t.distance}>{kilometres(order.totalDistance)}</Fact>
        {order.requirements && <LoadFacts of={order.requirements} />}
      </dl>
      {order.estimated && <p class="hint">{t.estimated}</p>}
      {order.notices.map((notice) => (
        <p class="hint" key={notice.pointer + notice.code}>
          {notice.detail}
        </p>
      ))}
    </section>
  );
}
