/** The actions that an order's situation permits. */

import { useState } from "preact/hooks";
import { orders } from "../api/client";
import type { Cancellation, Delivery, Order, OrderDetails } from "../api/wire";
import { money, timeOrDateTime, zoneOf } from "../format";
import { now } from "../clock";
import { isUntouched, repeatOrder } from "../order-draft";
import { isInPreparation, sendReady } from "../ready";
import { go } from "../router";
import { OUT_FOR_DELIVERY } from "../situations";
import { decimal } from "../numbers";
import { Confirm } from "../ui/confirm";
import { ErrorBox, TextField } from "../ui/field";
import { useLoad } from "../ui/load";
import { Failure } from "../ui/parts";
import { texts } from "../i18n";
import { orderTexts } from "../i18n/order";

interface Props {
  order: OrderDetails;
  onChange: (order: Order) => void;
}

type OrderDialog = "delay" | "cancel" | "waive" | "repeat" | null;

export function OrderActions(props: Props) {
  const t = orderTexts.value;
  const [dialog, setDialog] = useState<OrderDialog>(null);
  const [error, setError] = useState<unknown>(null);
  const { situation, id } = props.order;
  const inPreparation = isInPreparation(props.order);
  const close = () => setDialog(null);
  const ready = () => {
    setError(null);
    sendReady(id).then(props.onChange, setError);
  };
  const repeat = () => {
    repeatOrder(props.order);
    go("/orders/new");
  };
  return (
    <>
      <div class="actions">
        {inPreparation && (
          <button type="button" class="button primary" onClick={ready}>
            {t.doReady}
          </button>
        )}
        {inPreparation && (
          <button type="button" class="button" onClick={() => setDialog("delay")}>
            {t.doDelay}
          </button>
        )}
        {(situation === 400 || situation === 410) && (
          <button type="button" class="button" onClick={() => setDialog("waive")}>
            {t.doWaive}
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() => (isUntouched() ? repeat() : setDialog("repeat"))}
        >
          {t.doRepeat}
        </button>
        {situation < OUT_FOR_DELIVERY && (
          <button type="button" class="button danger" onClick={() => setDialog("cancel")}>
            {t.doCancel}
          </button>
        )}
      </div>
      {error !== null && <ErrorBox error={error} />}
      {dialog === "delay" && <DelayDialog {...props} close={close} />}
      {dialog === "cancel" && <CancelDialog {...props} close={close} />}
      {dialog === "repeat" && (
        <Confirm
          title={t.repeatTitle}
          text={<p>{t.repeatText}</p>}
          closeLabel={texts.value.common.back}
          submitLabel={t.doRepeat}
          act={() => Promise.resolve()}
          done={repeat}
          close={close}
        />
      )}
      {dialog === "waive" && (
        <ActionDialog
          title={t.waiveTitle}
          text={t.waiveText}
          submitLabel={t.doWaive}
          act={() => orders.waiveReturn(id)}
          onChange={props.onChange}
          close={close}
        />
      )}
    </>
  );
}

type StopDialog = "discard" | "turnBack" | "cancel" | null;

export function StopActions(props: Props & { stop: Delivery }) {
  const t = orderTexts.value;
  const [dialog, setDialog] = useState<StopDialog>(null);
  const { order, stop } = props;
  const others = order.deliveries.some((one) => one.id !== stop.id && one.situation === 150);
  const allowed = {
    discard: stop.situation === 330,
    turnBack: [310, 320, 330].includes(stop.situation),
    cancel: stop.situation === 150 && others,
  };
  if (!allowed.discard && !allowed.turnBack && !allowed.cancel) return null;
  const common = { onChange: props.onChange, close: () => setDialog(null) };
  return (
    <>
      <p class="actions">
        {allowed.turnBack && (
          <StopButton name={stop.name} label={t.doTurnBack} act={() => setDialog("turnBack")} />
        )}
        {allowed.discard && (
          <StopButton name={stop.name} label={t.doDiscard} act={() => setDialog("discard")} />
        )}
        {allowed.cancel && (
          <StopButton name={stop.name} label={t.doCancelStop} act={() => setDialog("cancel")} />
        )}
      </p>
      {dialog === "discard" && (
        <ActionDialog
          {...common}
          title={t.discardTitle}
          text={t.discardText}
          submitLabel={t.doDiscard}
          act={() => orders.discard(order.id, stop.id)}
        />
      )}
      {dialog === "turnBack" && (
        <ActionDialog
          {...common}
          title={t.turnBackTitle}
          text={t.turnBackText}
          submitLabel={t.doTurnBack}
          reason="required"
          act={(reason) => orders.turnBack(order.id, stop.id, reason)}
        />
      )}
      {dialog === "cancel" && (
        <ActionDialog
          {...common}
          title={t.cancelStopTitle}
          text={t.cancelStopText}
          submitLabel={t.doCancelStop}
          reason="optional"
          act={(reason) => orders.cancel(order.id, reason, stop.id)}
        />
      )}
    </>
  );
}

function StopButton(props: { name: string | null; label: string; act: () => void }) {
  return (
    <button
      type="button"
      class="button small"
      aria-label={`${props.label}: ${props.name ?? ""}`}
      onClick={props.act}
    >
      {props.label}
    </button>
  );
}

interface ActionProps {
  title: string;
  text: string;
  submitLabel: string;
  /** The reason field is hidden if this is unset. */
  reason?: "required" | "optional";
  act: (reason: string) => Promise<Order>;
  onChange: (order: Order) => void;
  close: () => void;
}

function ActionDialog(props: ActionProps) {
  const [reason, setReason] = useState("");
  const { title, text, submitLabel, close } = props;
  return (
    <Confirm
      danger
      {...{ title, text, submitLabel, close }}
      act={() => props.act(reason.trim())}
      done={(order) => {
        props.onChange(order);
        close();
      }}
    >
      {props.reason !== undefined && (
        <Reason value={reason} set={setReason} optional={props.reason === "optional"} />
      )}
    </Confirm>
  );
}

function Reason(props: { value: string; set: (reason: string) => void; optional: boolean }) {
  return (
    <TextField
      pointer="/reason"
      label={orderTexts.value.cancelReason}
      {...props}
      max={255}
      lines={2}
    />
  );
}

function DelayDialog(props: Props & { close: () => void }) {
  const t = orderTexts.value;
  const [minutes, setMinutes] = useState("10");
  const onDone = (order: Order) => {
    props.onChange(order);
    props.close();
  };
  return (
    <Confirm
      title={t.delayTitle}
      submitLabel={t.doDelay}
      act={() => orders.delay(props.order.id, decimal(minutes))}
      done={onDone}
      close={props.close}
    >
      <TextField
        pointer="/minutes"
        label={t.delayMinutes}
        value={minutes}
        set={setMinutes}
        mode="numeric"
        max={6}
      />
    </Confirm>
  );
}

function CancelDialog(props: Props & { close: () => void }) {
  const t = orderTexts.value;
  const terms = useLoad(
    () => orders.cancellation(props.order.id),
    [props.order.id, props.order.situation],
  );
  const [reason, setReason] = useState("");
  const allowed = terms.value?.allowed === true;
  const onDone = (order: Order) => {
    props.onChange(order);
    props.close();
  };
  let text = <p role="status">{t.cancelTerms}</p>;
  if (terms.value !== null)
    text = <p>{termsText(terms.value, zoneOf(props.order.pickupAddress))}</p>;
  else if (terms.error !== null) text = <Failure error={terms.error} retry={terms.reload} />;
  return (
    <Confirm
      danger
      title={t.cancelTitle}
      text={text}
      closeLabel={t.keep}
      submitLabel={allowed ? t.doCancel : null}
      act={() => orders.cancel(props.order.id, reason.trim())}
      done={onDone}
      close={props.close}
    >
      {allowed && <Reason value={reason} set={setReason} optional />}
    </Confirm>
  );
}

function termsText(terms: Cancellation, zone: string): string {
  const t = orderTexts.value;
  if (terms.mode === "return_required") return t.cancelReturn;
  if (!terms.allowed) return t.cancelClosed;
  if (terms.mode === "paid") return t.cancelPaid(money(terms.fee ?? 0));
  return terms.changesAt === null
    ? t.cancelFree
    : t.cancelFreeUntil(timeOrDateTime(terms.changesAt, zone, now.value));
}
