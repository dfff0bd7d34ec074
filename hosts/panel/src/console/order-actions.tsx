/** The operator's interventions in an order. */

import { useState } from "preact/hooks";
import { ApiError, invalidFields } from "../api/http";
import type {
  CourierRecord,
  Delivery,
  FieldError,
  Order,
  OrderDetails,
  OrderRow,
} from "../api/wire";
import { kilometres } from "../format";
import { OUT_FOR_DELIVERY, SEARCHING } from "../situations";
import { Confirm } from "../ui/confirm";
import { ChoiceField, TextField } from "../ui/field";
import { useLoad } from "../ui/load";
import { readPages } from "../api/pages";
import { couriers, orders, stores } from "./api";
import { formDraft } from "./draft";
import { unfit, type Unfit } from "./fit";
import { distanceKm } from "./geo";
import { detailTexts } from "./texts/order";

interface Props {
  order: OrderDetails;
  onChange: (order: Order) => void;
}

/** In these situations a courier has the delivery. */
const ON_BOARD: ReadonlySet<number> = new Set([310, 320, 330, 400, 410]);
/** Maximum number of pages of couriers that the choice reads, and of couriers that it offers. */
const MAX_PAGES = 10;
const MAX_COURIERS = 100;

export const reassignDraft = formDraft("reassign", () => ({ courierId: "", reason: "" }));
const cancelDraft = formDraft("cancel", () => ({ reason: "" }));
const loseDraft = formDraft("lose", () => ({ reason: "" }));

type OrderDialog = "reassign" | "cancel" | null;

export function OrderActions(props: Props) {
  const t = detailTexts.value;
  const [dialog, setDialog] = useState<OrderDialog>(null);
  const { situation } = props.order;
  if (situation >= OUT_FOR_DELIVERY) return null;
  const close = () => setDialog(null);
  return (
    <div class="actions">
      {situation >= SEARCHING && (
        <button type="button" class="button" onClick={() => setDialog("reassign")}>
          {situation === SEARCHING ? t.doAssign : t.doReassign}
        </button>
      )}
      <button type="button" class="button danger" onClick={() => setDialog("cancel")}>
        {t.doCancel}
      </button>
      {dialog === "reassign" && <ReassignDialog {...props} close={close} />}
      {dialog === "cancel" && <CancelDialog {...props} close={close} />}
    </div>
  );
}

export function StopActions(props: Props & { stop: Delivery }) {
  const t = detailTexts.value;
  const { order, stop } = props;
  const [isOpen, setOpen] = useState(false);
  const draft = loseDraft(stop.id);
  if (!ON_BOARD.has(stop.situation)) return null;
  const close = () => setOpen(false);
  const act = () =>
    orders.lose(order.id, { deliveryId: stop.id, reason: draft.value.reason.trim() }, draft.key());
  const done = (changed: Order) => {
    draft.clear();
    close();
    props.onChange(changed);
  };
  return (
    <p class="actions">
      <button
        type="button"
        class="button small"
        aria-label={`${t.doLose}: ${stop.name ?? stop.orderRoute}`}
        onClick={() => setOpen(true)}
      >
        {t.doLose}
      </button>
      {isOpen && (
        <Confirm
          danger
          title={t.loseTitle}
          text={<p>{t.loseText}</p>}
          closeLabel={t.keep}
          submitLabel={t.doLose}
          act={act}
          done={done}
          close={close}
        >
          <Reason value={draft.value.reason} set={(reason) => draft.set({ reason })} />
        </Confirm>
      )}
    </p>
  );
}

function Reason(props: { value: string; set: (reason: string) => void }) {
  const t = detailTexts.value;
  return (
    <TextField
      pointer="/reason"
      label={t.reason}
      hint={t.reasonHint}
      {...props}
      max={255}
      lines={2}
    />
  );
}

function CancelDialog(props: Props & { close: () => void }) {
  const t = detailTexts.value;
  const draft = cancelDraft(props.order.id);
  const act = () =>
    orders.cancel(props.order.id, { reason: draft.value.reason.trim() }, draft.key());
  const done = (changed: Order) => {
    draft.clear();
    props.close();
    props.onChange(changed);
  };
  return (
    <Confirm
      danger
      title={t.cancelTitle}
      text={<p>{t.cancelText}</p>}
      closeLabel={t.keep}
      submitLabel={t.doCancel}
      act={act}
      done={done}
      close={props.close}
    >
      <Reason value={draft.value.reason} set={(reason) => draft.set({ reason })} />
    </Confirm>
  );
}

export function ReassignDialog(props: {
  order: OrderRow;
  onChange: (order: Order) => void;
  close: () => void;
}) {
  const t = detailTexts.value;
  const { order } = props;
  const draft = reassignDraft(order.id);
  const { courierId, reason } = draft.value;
  const list = useLoad(() => candidates(order), [order.id]);
  const options = (list.value ?? []).map(({ courier, km, why }): readonly [string, string] => {
    const notes = [
      km === null ? null : kilometres(km),
      why === null ? null : t.unfit[why],
      courier.orderId === null || why === "STUCK" ? null : t.busy,
    ]
      .filter(Boolean)
      .join(", ");
    return [
      String(courier.id),
      `${courier.name} #${courier.id}${notes === "" ? "" : ` (${notes})`}`,
    ];
  });
  // A courier of the draft who is no longer available remains chosen, and the server rejects the choice.
  if (courierId !== "" && !options.some(([id]) => id === courierId))
    options.push([courierId, t.courier(Number(courierId))]);
  // A searching order has no courier to take it from.
  const isSearching = order.situation === SEARCHING;
  const act = async () => {
    if (isSearching && courierId === "")
      throw fieldError("/courierId", "required", t.courierRequired);
    const body = {
      reason: reason.trim(),
      ...(courierId === "" ? {} : { courierId: Number(courierId) }),
    };
    return orders.reassign(order.id, body, draft.key()).catch((error: unknown) => {
      throw courierError(error);
    });
  };
  const done = (changed: Order) => {
    draft.clear();
    props.close();
    props.onChange(changed);
  };
  return (
    <Confirm
      title={isSearching ? t.assignTitle : t.reassignTitle}
      text={!isSearching && <p>{t.reassignText}</p>}
      closeLabel={t.keep}
      submitLabel={isSearching ? t.doAssign : t.doReassign}
      act={act}
      done={done}
      close={props.close}
    >
      <ChoiceField
        pointer="/courierId"
        label={t.to}
        hint={t.toHint}
        value={courierId}
        set={(id) => draft.set({ courierId: id })}
        options={[["", isSearching ? t.choose : t.anyCourier], ...options]}
      />
      <Reason value={reason} set={(text) => draft.set({ reason: text })} />
    </Confirm>
  );
}

/** Shows the problems of the chosen courier at the field. */
function courierError(error: unknown): unknown {
  if (
    !(error instanceof ApiError) ||
    !["courier_unavailable", "courier_not_found"].includes(error.problem.code)
  )
    return error;
  const { code, detail } = error.problem;
  return fieldError("/courierId", code, detail);
}

function fieldError(pointer: string, code: string, detail: string): ApiError {
  return new ApiError(invalidFields([{ pointer, code, detail } as FieldError]));
}

export interface Candidate {
  courier: CourierRecord;
  /** The distance to the pickup. Null without a position. */
  km: number | null;
  /** Why the courier does not fit the order. */
  why: Unfit | null;
}

/** The available couriers except the current one: those who fit the order and are idle, then those on a trip, then the others; nearest first. */
export async function candidates(order: OrderRow): Promise<Candidate[]> {
  const [{ pages }, store] = await Promise.all([
    readPages((cursor) => couriers.list(cursor), MAX_PAGES),
    stores.get(order.storeId),
  ]);
  const found = pages
    .flatMap((page) => page.couriers)
    .filter((one) => one.available && one.removedAt === null && one.id !== order.deliveryMan?.id);
  const far = (one: Candidate) => one.km ?? Number.MAX_VALUE;
  const rank = ({ why, courier }: Candidate) =>
    why === null ? (courier.orderId === null ? 0 : 1) : 2;
  return found
    .map((courier) => ({
      courier,
      km: distanceKm(courier, order.pickupLocation),
      why: unfit(courier, order, store.sandbox),
    }))
    .sort((a, b) => rank(a) - rank(b) || far(a) - far(b))
    .slice(0, MAX_COURIERS);
}
