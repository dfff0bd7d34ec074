import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { form } from "../../api/http";
import type {
  AlterCourier,
  CourierRecord,
  OrderDetails,
  SignInCode,
  VehicleKind,
} from "../../api/wire";
import { now } from "../../clock";
import { zone } from "../../context";
import { dateTime, money, phone, phoneFormat, phoneRequest, quantity, typed } from "../../format";
import { loadTexts } from "../../i18n/load";
import { thousandths, typedThousandths } from "../../load";
import { amount } from "../../numbers";
import { mark, isFinal } from "../../situations";
import { Confirm } from "../../ui/confirm";
import { TextField } from "../../ui/field";
import { RouteMap, type Mark } from "../../ui/map";
import { Fact, Secret, Situation, When } from "../../ui/parts";
import { QrCode } from "../../ui/qr";
import { notify, notifyError } from "../../ui/toast";
import { WhatsApp } from "../../ui/whatsapp";
import { greeting } from "../../whatsapp";
import { couriers, orders } from "../api";
import { CourierBadge, lastHeard, stateOf } from "../courier-state";
import { formDraft } from "../draft";
import { Terms } from "../pay/terms";
import { usePolled } from "../poll";
import { courierTexts } from "../texts/couriers";
import { Detail } from "../ui/detail";
import { EQUIPMENT, EquipmentFields, VehicleFields } from "../ui/vehicle-fields";
import "../../styles/map.css";

const POLL_MS = 10_000;
/** Maximum number of orders of a trip. */
const MAX_ORDERS = 10;

/** The key of the latest new courier, shown only once. */
export const newCourierKey = signal<{ id: number; value: string | null } | null>(null);

interface Loaded {
  courier: CourierRecord;
  trip: OrderDetails[];
}

async function load(id: number): Promise<Loaded> {
  const courier = await couriers.get(id);
  const ids = courier.orderIds ?? (courier.orderId === null ? [] : [courier.orderId]);
  return {
    courier,
    trip: await Promise.all(ids.slice(0, MAX_ORDERS).map((order) => orders.get(order))),
  };
}

export function CourierPage(props: { id: number }) {
  const t = courierTexts.value;
  const found = usePolled(() => load(props.id), [props.id], POLL_MS);
  const courier = found.value?.courier;
  const actions = courier?.removedAt === null && (
    <Actions courier={courier} changed={found.reload} />
  );
  return (
    <Detail
      of={found}
      title={courier?.name ?? t.title}
      aside={actions}
      missing={["courier_not_found", t.missing]}
    >
      {(value) => <Found {...value} />}
    </Detail>
  );
}

function Found(props: Loaded) {
  const t = courierTexts.value;
  const { courier, trip } = props;
  const key = newCourierKey.value;
  return (
    <>
      <p class="heading">
        <CourierBadge state={stateOf(courier)} />
        <a href={`tel:${courier.phone}`}>{phone(courier.phone)}</a>
        <WhatsApp
          phone={courier.phone}
          text={greeting(courier.name)}
          label={`WhatsApp: ${courier.name}`}
        />
        {(courier.positionAt !== null || courier.stuckSince !== undefined) && (
          <span class="dim">{lastHeard(courier)}</span>
        )}
      </p>
      {key?.id === courier.id && key.value !== null && (
        <Secret lead={t.created} value={key.value} note={t.once} />
      )}
      <div class="order-grid">
        <div class="order-main">
          <Trip courier={courier} trip={trip} />
        </div>
        <div class="order-side">
          {courier.removedAt === null && <SignIn courier={courier} />}
          {courier.removedAt === null && <Terms courierId={courier.id} />}
          <Facts courier={courier} />
        </div>
      </div>
    </>
  );
}

type Open = "edit" | "remove" | null;

function Actions(props: { courier: CourierRecord; changed: () => void }) {
  const t = courierTexts.value;
  const { courier, changed } = props;
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const done = (message: string) => {
    close();
    notify(message);
    changed();
  };
  const isSuspended = courier.suspendedAt !== null;
  const change = (part: Record<string, boolean>, message: string) =>
    couriers.change(courier.id, part).then(() => done(message), notifyError);
  const toggle = () =>
    change({ available: !courier.available }, courier.available ? t.paused : t.resumed);
  const suspend = () =>
    change({ suspended: !isSuspended }, isSuspended ? t.suspensionEnded : t.suspended);
  return (
    <div class="actions">
      {!isSuspended && (
        <button
          type="button"
          class="button"
          title={courier.available ? t.pauseHint : undefined}
          onClick={toggle}
        >
          {courier.available ? t.pause : t.resume}
        </button>
      )}
      <button
        type="button"
        class="button"
        title={isSuspended ? undefined : t.suspendHint}
        onClick={suspend}
      >
        {isSuspended ? t.endSuspension : t.suspend}
      </button>
      <button type="button" class="button" onClick={() => setOpen("edit")}>
        {t.edit}
      </button>
      <button type="button" class="button danger" onClick={() => setOpen("remove")}>
        {t.remove}
      </button>
      {open === "edit" && <EditDialog courier={courier} close={close} done={() => done(t.saved)} />}
      {open === "remove" && (
        <Confirm
          danger
          title={t.removeTitle(courier.name)}
          text={<p>{t.removeText}</p>}
          submitLabel={t.remove}
          act={() => couriers.change(courier.id, { removed: true })}
          done={() => done(t.removed)}
          close={close}
        />
      )}
    </div>
  );
}

interface Edited {
  name: string | null;
  phone: string | null;
  email: string | null;
  document: string | null;
  vehicle?: string | null;
  weight?: string | null;
  volume?: string | null;
  equipment?: string[] | null;
  cashLimit?: string | null;
}

/** Null fields are unchanged. */
const editDraft = formDraft(
  "courier-edit",
  (): Edited => ({
    name: null,
    phone: null,
    email: null,
    document: null,
    vehicle: null,
    weight: null,
    volume: null,
    equipment: null,
    cashLimit: null,
  }),
);

/** The largest limits that the API accepts. They leave only those of the vehicle. */
const MAX_WEIGHT_G = 1_000_000;
const MAX_VOLUME_ML = 20_000_000;

/** The API does not remove a courier's own limit, so a cleared field sends the largest one. */
function limit(typed: string | null | undefined, max: number): number | undefined {
  if (typed == null) return undefined;
  return typed.trim() === "" ? max : thousandths(typed);
}

/** A cleared field removes the limit. */
const cashLimitOf = (text: string | null | undefined) =>
  text == null ? undefined : text.trim() === "" ? 0 : amount(text);

function EditDialog(props: { courier: CourierRecord; close: () => void; done: () => void }) {
  const t = courierTexts.value;
  const { courier } = props;
  const draft = editDraft(courier.id);
  const { value, set } = draft;
  const { name, email, document, vehicle, weight, volume, equipment, cashLimit } = value;
  const act = () =>
    couriers.change(
      courier.id,
      form<AlterCourier>({
        name,
        email,
        document,
        vehicle: vehicle as VehicleKind | null | undefined,
        equipment,
        cashLimit: cashLimitOf(cashLimit),
        phone: value.phone === null ? null : phoneRequest(value.phone),
        maxWeightGrams: limit(weight, MAX_WEIGHT_G),
        maxVolumeMillilitres: limit(volume, MAX_VOLUME_ML),
      }),
    );
  const done = () => {
    draft.clear();
    props.done();
  };
  return (
    <Confirm title={t.edit} submitLabel={t.save} act={act} done={done} close={props.close}>
      <TextField
        pointer="/name"
        label={t.name}
        value={value.name ?? courier.name}
        set={(name) => set({ name })}
        max={255}
      />
      <TextField
        pointer="/phone"
        label={t.phone}
        hint={t.phoneHint}
        value={value.phone ?? phone(courier.phone)}
        set={(text) => set({ phone: text })}
        format={phoneFormat}
        type="tel"
        mode="tel"
        max={32}
      />
      <TextField
        pointer="/email"
        label={t.email}
        value={value.email ?? courier.email ?? ""}
        set={(email) => set({ email })}
        type="email"
        mode="email"
        max={400}
        optional
      />
      <TextField
        pointer="/document"
        label={t.document}
        value={value.document ?? courier.document ?? ""}
        set={(document) => set({ document })}
        max={64}
        optional
      />
      <VehicleFields
        vehicle={vehicle ?? courier.vehicle}
        weight={weight ?? typedThousandths(courier.maxWeightGrams)}
        volume={volume ?? typedThousandths(courier.maxVolumeMillilitres)}
        set={set}
      />
      <EquipmentFields
        value={equipment ?? courier.equipment}
        set={(chosen) => set({ equipment: chosen })}
      />
      <TextField
        pointer="/cashLimit"
        label={t.cashLimit}
        hint={t.cashLimitHint}
        value={cashLimit ?? (courier.cashLimit === null ? "" : typed(courier.cashLimit))}
        set={(text) => set({ cashLimit: text })}
        mode="decimal"
        max={16}
        optional
      />
    </Confirm>
  );
}

/** Issues a sign-in link and shows it as a QR code until the operator leaves the page. */
function SignIn(props: { courier: CourierRecord }) {
  const t = courierTexts.value;
  const [code, setCode] = useState<SignInCode | null>(null);
  const [busy, setBusy] = useState(false);
  const issue = () => {
    if (busy) return;
    setBusy(true);
    couriers
      .signIn(props.courier.id)
      .then(setCode, notifyError)
      .finally(() => setBusy(false));
  };
  const link = code === null ? "" : (code.url ?? `${location.origin}/courier#${code.value}`);
  return (
    <section class="card" data-testid="sign-in">
      <h2>{t.signIn}</h2>
      <p class="hint">{t.signInHint}</p>
      {code !== null && (
        <>
          <QrCode text={link} label={t.qr} class="qr" />
          <Secret lead={t.link} value={link} note={t.until(dateTime(code.expiresAt, zone.value))} />
        </>
      )}
      <button type="button" class="button" aria-disabled={busy} onClick={issue}>
        {t.newCode}
      </button>
    </section>
  );
}

function Trip(props: { courier: CourierRecord; trip: readonly OrderDetails[] }) {
  const t = courierTexts.value;
  const { courier, trip } = props;
  const key = JSON.stringify([
    courier.latitude,
    courier.longitude,
    trip.map((order) => [order.id, order.situation]),
  ]);
  const marks = useMemo(() => tripMarks(courier, trip), [key]);
  return (
    <section class="card" aria-labelledby="trip">
      <h2 id="trip">{t.trip}</h2>
      {trip.length === 0 ? (
        <p class="dim">{t.noTrip}</p>
      ) : (
        <ul class="fleet-list">
          {trip.map((order) => (
            <li key={order.id}>
              <a href={`#/orders/${order.id}`}>
                <span class="strong">{order.code}</span>
                <Situation of={order.situation} />
                <span class="sub">{order.storeName ?? `#${order.storeId}`}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {marks.length > 0 && <RouteMap label={t.map} marks={marks} path={[]} />}
    </section>
  );
}

function tripMarks(courier: CourierRecord, trip: readonly OrderDetails[]): Mark[] {
  const marks = trip.flatMap((order): Mark[] => [
    { name: order.code, label: "", ...order.pickupLocation, radius: 0, kind: "pickup" },
    ...order.deliveries
      .filter((stop) => !isFinal(stop.situation))
      .map(
        (stop): Mark => ({
          name: stop.name ?? order.code,
          label: String(stop.orderRoute),
          ...stop.location,
          radius: 0,
          kind: mark(stop.situation),
        }),
      ),
  ]);
  const { latitude, longitude, name } = courier;
  if (latitude !== null && longitude !== null)
    marks.push({ name, label: "", latitude, longitude, radius: 0, kind: "courier" });
  return marks;
}

function equipmentOf(courier: CourierRecord): string {
  const t = courierTexts.value;
  const names = EQUIPMENT.filter((kind) => courier.equipment.includes(kind)).map(
    (kind) => t.equipmentNames[kind],
  );
  return names.length === 0 ? t.noEquipment : names.join(", ");
}

function Facts(props: { courier: CourierRecord }) {
  const [t, l] = [courierTexts.value, loadTexts.value];
  const { courier } = props;
  return (
    <section class="card">
      <h2>{t.details}</h2>
      <dl class="facts">
        <Fact name="ID">
          <span class="number">{courier.id}</span>
        </Fact>
        <Fact name={t.profile}>
          <span class="number">{courier.profileId}</span>
        </Fact>
        <Fact name={l.vehicle}>{l.names[courier.vehicle]}</Fact>
        <Fact name={l.maxWeight}>{quantity(courier.maxWeightGrams / 1_000)}</Fact>
        <Fact name={l.maxVolume}>{quantity(courier.maxVolumeMillilitres / 1_000)}</Fact>
        <Fact name={t.equipment}>{equipmentOf(courier)}</Fact>
        {courier.cashLimit !== null && <Fact name={t.cashLimit}>{money(courier.cashLimit)}</Fact>}
        {courier.suspendedAt !== null && (
          <Fact name={t.suspendedAt}>
            <When at={courier.suspendedAt} full />
          </Fact>
        )}
        {courier.email !== null && (
          <Fact name={t.email}>
            <span class="break">{courier.email}</span>
          </Fact>
        )}
        {courier.document !== null && <Fact name={t.document}>{courier.document}</Fact>}
        {courier.availableFrom !== undefined && courier.availableUntil !== undefined && (
          <Fact name={t.shift}>
            <When at={courier.availableFrom} /> – <When at={courier.availableUntil} />
          </Fact>
        )}
        {courier.keyExpiresAt !== null && Date.parse(courier.keyExpiresAt) > now.value && (
          <Fact name={t.keyUntil}>
            <When at={courier.keyExpiresAt} full />
          </Fact>
        )}
        {courier.sandbox && <Fact name={t.sandbox}>✓</Fact>}
      </dl>
    </section>
  );
}
