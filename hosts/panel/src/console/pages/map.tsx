import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import type { CourierRecord, OrderRow } from "../../api/wire";
import { now } from "../../clock";
import { byUrgency, lateness } from "../../lateness";
import { go, parameter } from "../../router";
import { OUT_FOR_DELIVERY, isFinal } from "../../situations";
import { LatenessText } from "../../ui/lateness";
import { RouteMap, type Mark } from "../../ui/map";
import { Loaded, Page, Situation } from "../../ui/parts";
import { readPages } from "../../api/pages";
import { PAGE_SIZE, couriers, orders } from "../api";
import { CourierBadge, lastHeard, stateOf } from "../courier-state";
import { distanceKm } from "../geo";
import type { PageProps } from "../page-props";
import { usePolled } from "../poll";
import { mapTexts, type CourierState } from "../texts/map";
import { OrderSheet } from "../ui/order-sheet";
import "../../styles/map.css";

const POLL_MS = 15_000;
/** Maximum number of pages of the newest open orders, and of couriers, that one update reads. */
const ORDER_PAGES = 10;
const COURIER_PAGES = 5;

interface Traffic {
  orders: OrderRow[];
  couriers: CourierRecord[];
  hasMoreOrders: boolean;
  hasMoreCouriers: boolean;
}

/** Loads the open orders, or the newest ones and a page of late ones if there are too many. */
async function loadOrders(): Promise<Pick<Traffic, "orders" | "hasMoreOrders">> {
  const { pages, more } = await readPages(
    (cursor) => orders.list({ open: true, cursor }),
    ORDER_PAGES,
  );
  const late = more === null ? [] : (await orders.list({ open: true, late: true })).orders;
  const all = [...pages.flatMap((page) => page.orders), ...late];
  return {
    orders: [...new Map(all.map((row) => [row.id, row])).values()],
    hasMoreOrders: more !== null,
  };
}

async function load(): Promise<Traffic> {
  const [open, fleet] = await Promise.all([
    loadOrders(),
    readPages((cursor) => couriers.list(cursor), COURIER_PAGES),
  ]);
  return {
    ...open,
    couriers: fleet.pages.flatMap((page) => page.couriers),
    hasMoreCouriers: fleet.more !== null,
  };
}

/** The chosen city, or an empty string for all. It stays while the operator opens an order. */
const city = signal("");
/** A courier within this distance of a pickup of the chosen city is shown. */
const CITY_KM = 50;

const cityOf = ({ pickupAddress: { city: name, state } }: OrderRow): string =>
  [name, state].filter(Boolean).join(" – ");

function isNear(courier: CourierRecord, rows: readonly OrderRow[]): boolean {
  return rows.some((row) => (distanceKm(courier, row.pickupLocation) ?? Infinity) <= CITY_KM);
}

interface Working {
  courier: CourierRecord;
  state: CourierState;
}

/** A mark and the route that it opens. */
type LinkedMark = Mark & { to: string };

export function MapPage(_: PageProps) {
  const t = mapTexts.value;
  const found = usePolled(load, [], POLL_MS);
  const [view, setView] = useState(0);
  const fit = () => setView(view + 1);
  const choose = (chosen: string) => {
    city.value = chosen;
    fit();
  };
  return (
    <Page
      title={t.title}
      aside={
        <>
          {found.value !== null && <CityChoice orders={found.value.orders} set={choose} />}
          <button type="button" class="button" onClick={fit}>
            {t.fit}
          </button>
        </>
      }
    >
      <Loaded of={found} lines={8}>
        {(traffic) => <Fleet traffic={inCity(traffic)} view={view} reload={found.reload} />}
      </Loaded>
    </Page>
  );
}

/** The orders of the chosen city and the couriers near their pickups. */
function inCity(traffic: Traffic): Traffic {
  if (city.value === "") return traffic;
  const rows = traffic.orders.filter((row) => cityOf(row) === city.value);
  return {
    ...traffic,
    orders: rows,
    couriers: traffic.couriers.filter((courier) => isNear(courier, rows)),
  };
}

/** A choice of the cities with open orders, hidden if there is only one. */
function CityChoice(props: { orders: readonly OrderRow[]; set: (city: string) => void }) {
  const t = mapTexts.value;
  const names = [...new Set([...props.orders.map(cityOf), city.value])]
    .filter(Boolean)
    .sort((a, b) => a.localeCompare(b));
  if (names.length < 2 && city.value === "") return null;
  return (
    <select
      class="city"
      aria-label={t.city}
      value={city.value}
      onChange={(event) => props.set(event.currentTarget.value)}
    >
      <option value="">{t.allCities}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Those who need attention come first. */
const STATE_ORDER: readonly CourierState[] = ["stuck", "trip", "available", "silent"];

function Fleet(props: { traffic: Traffic; view: number; reload: () => void }) {
  const t = mapTexts.value;
  const chosen = Number(parameter("order"));
  const { traffic, view } = props;
  const working = traffic.couriers
    .map((courier): Working => ({ courier, state: stateOf(courier) }))
    .filter(({ state }) => STATE_ORDER.includes(state))
    .sort(
      (a, b) =>
        STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state) ||
        a.courier.name.localeCompare(b.courier.name),
    );
  const rows = byUrgency(traffic.orders, now.value);
  const isLate = (row: OrderRow) => lateness(row, now.value)?.kind === "late";
  // The map is drawn again only if something on it changed.
  const key = JSON.stringify([
    working.map(({ courier, state }) => [courier.id, state, courier.latitude, courier.longitude]),
    rows.map((row) => [
      row.id,
      row.situation,
      isLate(row),
      row.deliveries.map((stop) => stop.situation),
    ]),
    chosen,
  ]);
  const style = (row: OrderRow) =>
    `${isLate(row) ? " late" : ""}${row.id === chosen ? " chosen" : ""}`;
  const marks = useMemo(
    () => [...rows.flatMap((row) => orderMarks(row, style(row))), ...working.flatMap(courierMark)],
    [key, t],
  );
  const order = rows.find((row) => row.id === chosen);
  const count = (state: CourierState) => working.filter((one) => one.state === state).length;
  return (
    <>
      <p class="legend">
        {(["available", "trip", "stuck", "silent"] as const).map((state) => (
          <span key={state}>
            <i class={`dot ${state}`} /> {t.states[state]}{" "}
            <strong class="number">{count(state)}</strong>
          </span>
        ))}
        <span>
          <i class="dot small" /> {t.pickups}
        </span>
        <span>
          <i class="dot small stop" /> {t.stops}
        </span>
        <span>
          <i class="dot small late" /> {t.late}{" "}
          <strong class="number">{rows.filter(isLate).length}</strong>
        </span>
      </p>
      <div class="fleet">
        <section class="card map-card">
          <RouteMap
            label={t.label}
            marks={marks}
            path={[]}
            view={view}
            select={(mark) => go((mark as LinkedMark).to)}
          />
        </section>
        <div class="fleet-side">
          {order !== undefined && <OrderSheet order={order} onChange={props.reload} />}
          <OrderList
            rows={rows}
            note={traffic.hasMoreOrders ? t.moreOrders(ORDER_PAGES * PAGE_SIZE) : null}
          />
          <CourierList
            working={working}
            note={traffic.hasMoreCouriers ? t.moreCouriers(COURIER_PAGES * PAGE_SIZE) : null}
          />
        </div>
      </div>
    </>
  );
}

function OrderList(props: { rows: readonly OrderRow[]; note: string | null }) {
  const t = mapTexts.value;
  return (
    <section class="card" aria-labelledby="open-orders">
      <h2 id="open-orders">
        {t.orders} <span class="number dim">{props.rows.length}</span>
      </h2>
      {props.rows.length === 0 && <p class="dim">{t.noOrders}</p>}
      <ul class="fleet-list">
        {props.rows.map((row) => (
          <li key={row.id}>
            <a
              href={`#${orderRoute(row.id)}`}
              aria-current={row.id === Number(parameter("order")) ? "true" : undefined}
            >
              <span class="strong">{row.code}</span>
              <Situation of={row.situation} />
              <span class="sub">
                {row.storeName ?? `#${row.storeId}`} <LatenessText of={row} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {props.note !== null && <p class="hint">{props.note}</p>}
    </section>
  );
}

function CourierList(props: { working: readonly Working[]; note: string | null }) {
  const t = mapTexts.value;
  return (
    <section class="card" aria-labelledby="working-couriers">
      <h2 id="working-couriers">
        {t.couriers} <span class="number dim">{props.working.length}</span>
      </h2>
      {props.working.length === 0 && <p class="dim">{t.noCouriers}</p>}
      <ul class="fleet-list">
        {props.working.map(({ courier, state }) => (
          <li key={courier.id}>
            <a href={`#/couriers/${courier.id}`}>
              <span class="strong">{courier.name}</span>
              <CourierBadge state={state} />
              <span class="sub">{lastHeard(courier)}</span>
            </a>
          </li>
        ))}
      </ul>
      {props.note !== null && <p class="hint">{props.note}</p>}
    </section>
  );
}

/** The route of the map that shows an order beside it. */
const orderRoute = (id: number) => `/map?order=${id}`;

/** The pickup of an order whose goods are not picked up, and the stops that are left. */
function orderMarks(order: OrderRow, style: string): LinkedMark[] {
  const name = mapTexts.value.order(order.code, order.storeName ?? `#${order.storeId}`);
  const common = {
    name,
    label: "",
    radius: 0,
    style: `small order-${order.id}${style}`,
    to: orderRoute(order.id),
  };
  const at = ({ latitude, longitude }: { latitude: number; longitude: number }) => ({
    latitude,
    longitude,
  });
  const marks = order.deliveries
    .filter((stop) => !isFinal(stop.situation))
    .map((stop): LinkedMark => ({ ...common, ...at(stop.location), kind: "stop", size: 5 }));
  if (order.situation < OUT_FOR_DELIVERY)
    marks.push({ ...common, ...at(order.pickupLocation), kind: "pickup", size: 7 });
  return marks;
}

function courierMark({ courier, state }: Working): LinkedMark[] {
  const { latitude, longitude } = courier;
  if (latitude === null || longitude === null) return [];
  const name = `${courier.name} · ${mapTexts.value.states[state]}`;
  return [
    {
      name,
      label: "",
      latitude,
      longitude,
      radius: 0,
      kind: "courier",
      style: state,
      size: 9,
      to: `/couriers/${courier.id}`,
    },
  ];
}
