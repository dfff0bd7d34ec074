/** The trip: the next stop with its one next step, the map and the later stops. */

import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { addressLine, localityLine, money } from "../../brazil";
import { WhatsApp } from "../../ui/whatsapp";
import { aboutOrder, arrivalMessage } from "../../whatsapp";
import { take } from "../actions";
import { outstanding } from "../payment";
import { describe, me, nextStop, trip, type NextStop } from "../state";
import { can, nextStep, returns, type StepKind } from "../steps";
import { texts, time } from "../texts";
import type { Order, Stop } from "../wire";
import { openForm } from "./form";
import { LazyMap } from "./lazy-map";
import { MoreDialog } from "./more";
import { Navigation } from "./navigation";
import { Button, announce } from "./parts";
import { PixButton } from "./pix";
import { TripPayCard } from "./today";

/** These steps end something or need input: a form confirms them. */
const WITH_FORM: readonly StepKind[] = ["decline", "pickup", "deliver", "fail", "hand-back"];

export function nameOf(at: NextStop): string {
  const t = texts.value.trip;
  if (at.stop.type === "PICKUP") return t.pickup;
  if (at.stop.type === "RETURN") return t.return;
  return at.delivery?.name ?? t.delivery(at.delivery?.orderRoute ?? 1);
}

export function TripScreen() {
  const t = texts.value;
  const at = nextStop.value;
  const [isMoreOpen, setMoreOpen] = useState(false);
  const [error, setError] = useState("");
  if (at === null) {
    return (
      <main class="screen center" id="main">
        <h1 id="title" tabIndex={-1}>
          {t.trip.noNext}
        </h1>
      </main>
    );
  }
  const start = (kind: StepKind, target: NextStop = at) => {
    setMoreOpen(false);
    setError("");
    if (WITH_FORM.includes(kind)) openForm.value = { at: target, kind, label: nameOf(target) };
    else {
      announce(t.done[kind]);
      take(target, kind, nameOf(target)).catch(() => setError(t.form.notStored));
    }
  };
  const kind = nextStep(at.order, at.stop);
  const isBlocked =
    kind === "en-route" && trip.value?.orders.some((order) => order.situation < 300) === true;
  const others = (["decline", "fail", "resequence"] as const).filter((one) =>
    can(at.order, one, at.delivery?.id ?? null),
  );
  const visitFirst = (stop: Stop) => {
    const target = describe(stop);
    if (target !== null) start("en-route", target);
  };
  return (
    <>
      <main
        class="screen trip"
        id="main"
        data-order={at.order.id}
        data-situation={at.order.situation}
      >
        <StopCard at={at} />
        <TripPayCard />
        <LazyMap />
        <LaterStops visitFirst={visitFirst} next={at} />
        {me.value?.available === false && <p class="dim">{t.duty.ending}</p>}
      </main>
      <footer class="bar">
        {error !== "" && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        {isBlocked && <p class="dim">{t.trip.waitPickup}</p>}
        <div class="bar-row">
          {others.length > 0 && (
            <Button onClick={() => setMoreOpen(true)} testId="more">
              {t.trip.more}
            </Button>
          )}
          {kind !== null && !isBlocked && (
            <Button kind="primary" testId="next" onClick={() => start(kind)}>
              {t.steps[kind]}
            </Button>
          )}
          {kind === null && <p class="dim grow">{t.trip.noNext}</p>}
        </div>
      </footer>
      {isMoreOpen && <MoreDialog kinds={others} start={start} close={() => setMoreOpen(false)} />}
    </>
  );
}

function StopCard(props: { at: NextStop }) {
  const t = texts.value.trip;
  const { stop, order, delivery } = props.at;
  const choice = delivery?.recipientChoice;
  const due = delivery && outstanding(delivery);
  return (
    <section class="card stop" data-testid="stop" data-type={stop.type}>
      <p class="dim">
        {t.next} · {t.eta(time(stop.eta))}
      </p>
      <h1 id="title" tabIndex={-1}>
        {nameOf(props.at)}
      </h1>
      {stop.type !== "DELIVERY" && order.storeName && (
        <p class="strong" data-testid="store">
          {order.storeName}
        </p>
      )}
      <p class="address">{addressLine(stop.address)}</p>
      <p class="dim">{localityLine(stop.address)}</p>
      <p class="dim">{t.order(order.code)}</p>
      {stop.type === "PICKUP" && Date.parse(order.readyAt) > Date.now() && (
        <p class="strong">{t.ready(time(order.readyAt))}</p>
      )}
      {stop.type === "PICKUP" && order.requirements && <Load of={order.requirements} />}
      {stop.type === "PICKUP" && order.pickupInstructions !== undefined && (
        <p class="quote">{order.pickupInstructions}</p>
      )}
      {stop.type === "RETURN" && <BringBack of={order} />}
      {delivery?.window !== undefined && (
        <p class="strong">{t.window(time(delivery.window.from), time(delivery.window.until))}</p>
      )}
      {delivery !== null && delivery.observation !== null && (
        <p class="quote">{delivery.observation}</p>
      )}
      {choice !== null && choice !== undefined && (
        <p class="notice" role="status">
          {t.choice}: <strong>{t.choices[choice] ?? choice}</strong>
        </p>
      )}
      {delivery !== null && (
        <p class="badges">
          {due === null ? (
            <span class="badge good">{t.paid}</span>
          ) : (
            <span class="badge warn">{t.collect(money(due))}</span>
          )}
          {delivery.payment !== undefined && <PaymentParts of={delivery.payment} />}
          {delivery.codeRequired && <span class="badge">{t.codeRequired}</span>}
        </p>
      )}
      {delivery !== null && <PixButton of={delivery} />}
      <Links at={props.at} />
    </section>
  );
}

/** The parts of a payment with their amounts; a single part without, because the amount due is beside it. */
function PaymentParts(props: { of: NonNullable<NonNullable<NextStop["delivery"]>["payment"]> }) {
  const t = texts.value.trip;
  const { method, change, parts } = props.of;
  // An app of an earlier service has stored orders without parts.
  const shown =
    parts === undefined || parts.length < 2 ? [{ method, change, amount: null }] : parts;
  return (
    <>
      {shown.map((part, at) => (
        <Fragment key={at}>
          <span class="badge">
            {t.payments[part.method]}
            {part.amount !== null && ` ${money(part.amount)}`}
          </span>
          {part.change !== null && <span class="badge warn">{t.change(money(part.change))}</span>}
        </Fragment>
      ))}
    </>
  );
}

/** What the courier brings back to the store: goods that were not delivered, and payments that were collected. */
function BringBack(props: { of: Order }) {
  const t = texts.value.trip;
  const name = (one: Order["deliveries"][number]) => one.name ?? t.delivery(one.orderRoute);
  const things = props.of.deliveries.flatMap((one) => {
    if (one.situation === 400 || one.situation === 410) return [t.bringGoods(name(one))];
    const isCollected = one.situation === 500 && returns(one);
    if (!isCollected) return [];
    const parts = one.payment?.parts ?? [];
    if (parts.length > 1)
      return parts.map((part) =>
        t.bringPayment(money(part.amount), t.payments[part.method], name(one)),
      );
    return [
      t.bringPayment(
        money(one.productValue ?? 0),
        one.payment === undefined ? "" : t.payments[one.payment.method],
        name(one),
      ),
    ];
  });
  return (
    <div data-testid="bring-back">
      <p>{t.bringBack}</p>
      <ul class="bring strong">
        {(things.length > 0 ? things : [t.bringUnknown]).map((thing) => (
          <li key={thing}>{thing}</li>
        ))}
      </ul>
    </div>
  );
}

/** The number of packages, the weight and the volume of an order. */
function Load(props: { of: NonNullable<Order["requirements"]> }) {
  const t = texts.value;
  const { packages, weightGrams, volumeMillilitres, cardMachine } = props.of;
  const number = (thousandths: number) =>
    new Intl.NumberFormat(t.locale).format(thousandths / 1_000);
  const parts = [
    packages === null ? "" : t.trip.packages(packages),
    weightGrams === null ? "" : `${number(weightGrams)} kg`,
    volumeMillilitres === null ? "" : `${number(volumeMillilitres)} l`,
    cardMachine ? t.trip.payments.CARD_MACHINE : "",
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <p class="badges" data-testid="load">
      {parts.map((part) => (
        <span key={part} class="badge">
          {part}
        </span>
      ))}
    </p>
  );
}

function Links(props: { at: NextStop }) {
  const t = texts.value.trip;
  const { stop, order, delivery } = props.at;
  return (
    <div class="links">
      <Navigation latitude={stop.latitude} longitude={stop.longitude} />
      {delivery === null && order.storePhone && (
        <>
          <a class="button plain" href={`tel:${order.storePhone}`}>
            {t.callStore}
          </a>
          <WhatsApp
            phone={order.storePhone}
            text={aboutOrder(null, order)}
            label={`WhatsApp: ${order.storeName}`}
            class="button plain"
          />
        </>
      )}
      {delivery !== null && delivery.phone !== null && (
        <>
          <a class="button plain" href={`tel:${delivery.phone}`}>
            {t.call}
          </a>
          <WhatsApp
            phone={delivery.phone}
            text={arrivalMessage(delivery, order)}
            label={`WhatsApp: ${nameOf(props.at)}`}
            class="button plain"
          />
          <a class="button plain" href={`sms:${delivery.phone}`}>
            {t.sms}
          </a>
        </>
      )}
    </div>
  );
}

function LaterStops(props: { next: NextStop; visitFirst: (stop: Stop) => void }) {
  const t = texts.value.trip;
  const later = (trip.value?.stops.slice(1) ?? []).flatMap((stop) => describe(stop) ?? []);
  if (later.length === 0) return null;
  const isUnderway = [320, 330].includes(props.next.delivery?.situation ?? 0);
  return (
    <section class="card">
      <h2>{t.later}</h2>
      <ol class="later">
        {later.map((at) => {
          // The service visits the orders of a trip in its own order; within one order the courier chooses.
          const isChoice =
            !isUnderway &&
            at.order.id === props.next.order.id &&
            at.delivery !== null &&
            can(at.order, "en-route", at.delivery.id);
          const due = at.delivery && outstanding(at.delivery);
          return (
            <li key={`${at.stop.type} ${at.order.id} ${at.stop.deliveryId}`}>
              <div>
                <p class="strong">
                  {nameOf(at)} <span class="dim">· {time(at.stop.eta)}</span>
                </p>
                <p>{addressLine(at.stop.address)}</p>
                {due !== null && <p class="dim">{t.collect(money(due))}</p>}
              </div>
              {isChoice && (
                <button
                  type="button"
                  class="button plain"
                  aria-label={`${t.visitNow}: ${nameOf(at)}`}
                  onClick={() => props.visitFirst(at.stop)}
                >
                  {t.visitNow}
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
