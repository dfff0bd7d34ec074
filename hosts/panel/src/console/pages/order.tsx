import type { Order, OrderDetails } from "../../api/wire";
import { zoneOf } from "../../format";
import { Proofs, Tracking } from "../../pages/order-proofs";
import { isFinal } from "../../situations";
import { Facts, Heading, MapPanel, Price, Stops, Timeline } from "../../ui/order-parts";
import { Loaded } from "../../ui/parts";
import { notify } from "../../ui/toast";
import { orders, photo } from "../api";
import { OrderActions, StopActions } from "../order-actions";
import { usePolled } from "../poll";
import { detailTexts } from "../texts/order";
import { Decision } from "../ui/decision";
import { Detail } from "../ui/detail";
import { orderTexts } from "../../i18n/order";

const POLL_MS = 5_000;
/** Only a rating can still change a finished order. */
const FINAL_POLL_MS = 60_000;
const DISPATCH_POLL_MS = 15_000;

export function OrderPage(props: { id: number }) {
  const t = orderTexts.value;
  const order = usePolled(
    () => orders.get(props.id),
    [props.id],
    (value) => (value !== null && isFinal(value.situation) ? FINAL_POLL_MS : POLL_MS),
  );
  const { value, set, reload } = order;
  const onChange = (changed: Order) => {
    if (value !== null) set({ ...value, ...changed });
    reload();
    notify(t.done);
  };
  return (
    <Detail
      of={order}
      title={t.title(value?.code ?? `#${props.id}`)}
      aside={value !== null && <OrderActions order={value} onChange={onChange} />}
      missing={["order_not_found", t.missing]}
    >
      {(found) => <Found order={found} onChange={onChange} />}
    </Detail>
  );
}

function Found(props: { order: OrderDetails; onChange: (order: Order) => void }) {
  const t = orderTexts.value;
  const { order: found, onChange } = props;
  return (
    <>
      <Heading
        order={found}
        courierUrl="#/couriers/"
        store={<a href={`#/stores/${found.storeId}`}>{found.storeName ?? `#${found.storeId}`}</a>}
      />
      <div class="order-grid">
        <div class="order-main">
          <MapPanel order={found} loadRoute={orders.route} />
          <Stops
            order={found}
            extra={(stop) => (
              <>
                <Tracking stop={stop} order={found} />
                <StopActions stop={stop} order={found} onChange={onChange} />
              </>
            )}
          />
          <Dispatch order={found} />
        </div>
        <div class="order-side">
          <Timeline order={found} />
          <section class="card">
            <h2>{t.price}</h2>
            <Price lines={found.priceBreakdown} total={found.deliveryFee} />
          </section>
          {found.proofs.length > 0 && <Proofs order={found} photo={photo} />}
          <Facts order={found} />
        </div>
      </div>
    </>
  );
}

/** The reasons of the last decisions about the courier. */
function Dispatch(props: { order: OrderDetails }) {
  const t = detailTexts.value;
  const { order } = props;
  const found = usePolled(
    () => orders.dispatch(order.id),
    [order.id, order.situation, order.deliveryMan?.id],
    isFinal(order.situation) ? FINAL_POLL_MS : DISPATCH_POLL_MS,
    { keep: true },
  );
  return (
    <section class="card" data-testid="dispatch">
      <h2>{t.dispatch}</h2>
      <Loaded of={found} lines={2}>
        {({ passes }) => {
          // A finished order is not searching, which explains nothing.
          const shown = passes
            .filter((pass) => pass.outcome !== "NOT_SEARCHING" || !isFinal(order.situation))
            .reverse();
          if (shown.length === 0) return <p class="dim">{t.dispatchEmpty}</p>;
          return (
            <>
              <p class="hint">{t.dispatchLead}</p>
              <ol class="decisions">
                {shown.map((pass) => (
                  <Decision
                    key={pass.at + pass.outcome}
                    pass={pass}
                    zone={zoneOf(order.pickupAddress)}
                  />
                ))}
              </ol>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
