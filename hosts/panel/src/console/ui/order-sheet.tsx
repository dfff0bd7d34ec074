/** An order of the map, beside the map: where it stands, and the couriers who can take it. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { OrderRow } from "../../api/wire";
import { kilometres, phone, zoneOf } from "../../format";
import { go } from "../../router";
import { OUT_FOR_DELIVERY, SEARCHING } from "../../situations";
import { DoorPayment } from "../../ui/door-payment";
import { PromisedTime } from "../../ui/lateness";
import { useLoad } from "../../ui/load";
import { Age, Loaded, Situation } from "../../ui/parts";
import { Recipients } from "../../ui/recipients";
import { WhatsApp } from "../../ui/whatsapp";
import { aboutOrder } from "../../whatsapp";
import { CourierBadge, stateOf } from "../courier-state";
import { ReassignDialog, candidates, reassignDraft, type Candidate } from "../order-actions";
import { detailTexts } from "../texts/order";
import { mapTexts } from "../texts/map";

/** Number of couriers that the sheet offers. The order's page offers all. */
const OFFERED = 5;

interface Props {
  order: OrderRow;
  onChange: () => void;
}

export function OrderSheet(props: Props) {
  const t = mapTexts.value;
  const { order } = props;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [order.id]);
  const canChoose = order.situation >= SEARCHING && order.situation < OUT_FOR_DELIVERY;
  return (
    <section
      class="card order-sheet"
      aria-labelledby="order-sheet"
      onKeyDown={(event) => event.key === "Escape" && !inDialog(event) && go("/map")}
    >
      <div class="row between">
        <h2 id="order-sheet" ref={title} tabIndex={-1}>
          {order.code} <span class="number dim">#{order.id}</span>
        </h2>
        <a href="#/map" aria-label={t.closeOrder(order.code)}>
          {t.close}
        </a>
      </div>
      <p class="row between">
        <Situation of={order.situation} />
        <Age since={order.createdAt} />
      </p>
      <p>
        <PromisedTime of={order} zone={zoneOf(order.pickupAddress)} />
      </p>
      <p class="strong">{order.storeName ?? `#${order.storeId}`}</p>
      <p>
        <Recipients of={order} />
      </p>
      <p>
        <DoorPayment of={order} />
      </p>
      {order.deliveryMan != null && (
        <p>
          <a href={`#/couriers/${order.deliveryMan.id}`}>{order.deliveryMan.name}</a>{" "}
          <a class="number" href={`tel:${order.deliveryMan.phone}`}>
            {phone(order.deliveryMan.phone)}
          </a>{" "}
          <WhatsApp
            phone={order.deliveryMan.phone}
            text={aboutOrder(order.deliveryMan.name, order)}
            label={`WhatsApp: ${order.deliveryMan.name}`}
          />
        </p>
      )}
      {canChoose && <Offer {...props} takeFocus={() => title.current?.focus()} />}
      <p>
        <a href={`#/orders/${order.id}`}>{t.openOrder}</a>
      </p>
    </section>
  );
}

const inDialog = (event: Event) => (event.target as Element).closest("dialog") !== null;

/** The nearest couriers who can take the order. */
function Offer(props: Props & { takeFocus: () => void }) {
  const t = mapTexts.value;
  const { order } = props;
  const [isOpen, setOpen] = useState(false);
  const found = useLoad(() => candidates(order), [order.id, order.deliveryMan?.id]);
  // The button of the courier who was chosen is gone, and with it the focus.
  useEffect(() => {
    if (document.activeElement === document.body) props.takeFocus();
  }, [found.value]);
  const choose = (id: number) => {
    const draft = reassignDraft(order.id);
    draft.set({ courierId: String(id), reason: draft.value.reason || t.reason });
    setOpen(true);
  };
  const close = () => setOpen(false);
  return (
    <>
      <h3>{t.nearest}</h3>
      <Loaded of={found} lines={3}>
        {(all) => {
          const fitting = all.filter(({ why }) => why === null).slice(0, OFFERED);
          if (fitting.length === 0) return <p class="dim">{t.nobody}</p>;
          return (
            <ul class="offer">
              {fitting.map((one) => (
                <Offered key={one.courier.id} of={one} order={order} choose={choose} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {isOpen && <ReassignDialog order={order} onChange={props.onChange} close={close} />}
    </>
  );
}

function Offered(props: { of: Candidate; order: OrderRow; choose: (id: number) => void }) {
  const { courier, km } = props.of;
  const t = detailTexts.value;
  const label = props.order.situation === SEARCHING ? t.doAssign : t.doReassign;
  return (
    <li>
      <div>
        <a href={`#/couriers/${courier.id}`} class="strong">
          {courier.name}
        </a>{" "}
        {km !== null && <span class="number">{kilometres(km)}</span>}
        <span class="sub">
          <CourierBadge state={stateOf(courier)} />
        </span>
      </div>
      <button
        type="button"
        class="button small"
        aria-label={`${label}: ${courier.name}`}
        onClick={() => props.choose(courier.id)}
      >
        {label}
      </button>
    </li>
  );
}
