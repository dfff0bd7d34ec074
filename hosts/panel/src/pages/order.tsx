import { useEffect, useState } from "preact/hooks";
import { orders } from "../api/client";
import { ApiError } from "../api/http";
import { streaming } from "../api/stream";
import type { Order, OrderDetails } from "../api/wire";
import { lastEvent, updateRow } from "../live";
import { storeName } from "../session";
import { OUT_FOR_DELIVERY, isFinal, isMoving } from "../situations";
import { lazy } from "../ui/lazy";
import { useLoad } from "../ui/load";
import { Facts, Heading, MapPanel, Notices, Price, Stops, Timeline } from "../ui/order-parts";
import { Empty, Fact, Failure, Loading, Page } from "../ui/parts";
import { notify } from "../ui/toast";
import { OrderActions, StopActions } from "./order-actions";
import { PaymentActions } from "./payment-actions";
import { Proofs, Tracking } from "./order-proofs";
import { orderTexts } from "../i18n/order";

const PrintSheet = lazy(() => import("../ui/print").then((module) => module.PrintSheet), 0);

/** The interval for polling a moving courier's position, and the order if there is no event stream. */
const POLL_MS = 5_000;

export function OrderPage(props: { id: number }) {
  const t = orderTexts.value;
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
    const missing =
      order.error instanceof ApiError && order.error.problem.code === "order_not_found";
    return (
      <Page title={t.title(`#${props.id}`)}>
        {missing ? (
          <Empty text={t.missing} hint={t.missingHint} />
        ) : order.error !== null ? (
          <Failure error={order.error} retry={order.reload} />
        ) : (
          <Loading lines={8} />
        )}
      </Page>
    );
  }
  const found = { ...order.value, storeName: storeName(order.value.storeId) };
  const onChange = (changed: Order) => {
    order.set({ ...found, ...changed });
    order.reload();
    updateRow(changed);
    notify(t.done);
  };
  return (
    <Page title={t.title(found.code)} aside={<OrderActions order={found} onChange={onChange} />}>
      <Heading order={found} store={found.storeName} />
      <Notices of={found.notices} />
      <div class="order-grid">
        <div class="order-main">
          <MapPanel order={found} loadRoute={orders.route} />
          <Stops
            order={found}
            extra={(stop) => (
              <>
                <Tracking stop={stop} order={found} />
                <PaymentActions stop={stop} orderId={found.id} onChange={onChange} />
                <StopActions stop={stop} order={found} onChange={onChange} />
              </>
            )}
          />
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
      {printed !== null && (
        <PrintSheet
          key={printed.at}
          order={found}
          sheet={printed.sheet}
          close={() => setPrinted(null)}
        />
      )}
    </Page>
  );
}

function Codes(props: { order: OrderDetails }) {
  const t = orderTexts.value;
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
  const t = orderTexts.value;
  return (
    <p class="row">
      <button
        type="button"
        class="button"
        onClick={() => props.print({ sheet: "label", at: Date.now() })}
      >
        {t.printLabel}
      </button>
      <button
        type="button"
        class="button"
        onClick={() => props.print({ sheet: "receipt", at: Date.now() })}
      >
        {t.printReceipt}
      </button>
    </p>
  );
}
