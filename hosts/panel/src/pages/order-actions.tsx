/** What a merchant may do with an order: only what its situation allows is offered. */

import { useState } from "preact/hooks";
import { orders } from "../api/client";
import type { Cancellation, Delivery, Order, OrderDetails } from "../api/wire";
import { money, moment, zoneOf } from "../format";
import { now } from "../clock";
import { texts } from "../i18n";
import { decimal } from "../ui/address";
import { Confirm } from "../ui/confirm";
import { ErrorBox, TextField } from "../ui/field";
import { useLoad } from "../ui/load";
import { Failure } from "../ui/parts";

interface Props {
  order: OrderDetails;
  take: (order: Order) => void;
}

type OrderDialog = "ready" | "delay" | "cancel" | "waive" | null;

export function OrderActions(props: Props) {
  const t = texts.value.order;
  const [dialog, setDialog] = useState<OrderDialog>(null);
  const [error, setError] = useState<unknown>(null);
  const { situation, id } = props.order;
  const close = () => setDialog(null);
  const ready = () => {
    setError(null);
    orders.ready(id).then(props.take, setError);
  };
  return (
    <>
      <div class="actions">
        {situation === 110 && (
          <button type="button" class="button primary" onClick={ready}>
            {t.doReady}
          </button>
        )}
        {situation === 110 && (
          <button type="button" class="button" onClick={() => setDialog("delay")}>
            {t.doDelay}
          </button>
        )}
        {(situation === 400 || situation === 410) && (
          <button type="button" class="button" onClick={() => setDialog("waive")}>
            {t.doWaive}
          </button>
        )}
        {situation < 500 && (
          <button type="button" class="button danger" onClick={() => setDialog("cancel")}>
            {t.doCancel}
          </button>
        )}
      </div>
      {error !== null && <ErrorBox error={error} />}
      {dialog === "delay" && <DelayDialog {...props} close={close} />}
      {dialog === "cancel" && <CancelDialog {...props} close={close} />}
      {dialog === "waive" && (
        <SureDialog title={t.waiveTitle} text={t.waiveText} yes={t.doWaive} act={() => orders.waiveReturn(id)} take={props.take} close={close} />
      )}
    </>
  );
}

type StopDialog = "discard" | "turnBack" | "cancel" | null;

export function StopActions(props: Props & { stop: Delivery }) {
  const t = texts.value.order;
  const [dialog, setDialog] = useState<StopDialog>(null);
  const { order, stop } = props;
  const others = order.deliveries.some((one) => one.id !== stop.id && one.situation === 150);
  const can = {
    discard: stop.situation === 330,
    turnBack: [310, 320, 330].includes(stop.situation),
    cancel: stop.situation === 150 && others,
  };
  if (!can.discard && !can.turnBack && !can.cancel) return null;
  const common = { take: props.take, close: () => setDialog(null) };
  return (
    <>
      <p class="actions">
        {can.turnBack && <StopButton name={stop.name} label={t.doTurnBack} act={() => setDialog("turnBack")} />}
        {can.discard && <StopButton name={stop.name} label={t.doDiscard} act={() => setDialog("discard")} />}
        {can.cancel && <StopButton name={stop.name} label={t.doCancelStop} act={() => setDialog("cancel")} />}
      </p>
      {dialog === "discard" && (
        <SureDialog {...common} title={t.discardTitle} text={t.discardText} yes={t.doDiscard} act={() => orders.discard(order.id, stop.id)} />
      )}
      {dialog === "turnBack" && (
        <SureDialog {...common} title={t.turnBackTitle} text={t.turnBackText} yes={t.doTurnBack} reason="needed" act={(why) => orders.turnBack(order.id, stop.id, why)} />
      )}
      {dialog === "cancel" && (
        <SureDialog {...common} title={t.cancelStopTitle} text={t.cancelStopText} yes={t.doCancelStop} reason="optional" act={(why) => orders.cancel(order.id, why, stop.id)} />
      )}
    </>
  );
}

function StopButton(props: { name: string | null; label: string; act: () => void }) {
  return (
    <button type="button" class="button small" aria-label={`${props.label}: ${props.name ?? ""}`} onClick={props.act}>
      {props.label}
    </button>
  );
}

interface SureProps {
  title: string;
  text: string;
  yes: string;
  /** Whether a reason is required. */
  reason?: "needed" | "optional";
  act: (reason: string) => Promise<Order>;
  take: (order: Order) => void;
  close: () => void;
}

function SureDialog(props: SureProps) {
  const [reason, setReason] = useState("");
  const { title, text, yes, close } = props;
  return (
    <Confirm danger {...{ title, text, yes, close }} act={() => props.act(reason.trim())} done={(order) => { props.take(order); close(); }}>
      {props.reason !== undefined && <Reason value={reason} set={setReason} optional={props.reason === "optional"} />}
    </Confirm>
  );
}

function Reason(props: { value: string; set: (reason: string) => void; optional: boolean }) {
  return <TextField at="/reason" label={texts.value.order.cancelReason} {...props} max={255} lines={2} />;
}

function DelayDialog(props: Props & { close: () => void }) {
  const t = texts.value.order;
  const [minutes, setMinutes] = useState("10");
  const take = (order: Order) => {
    props.take(order);
    props.close();
  };
  return (
    <Confirm title={t.delayTitle} yes={t.doDelay} act={() => orders.delay(props.order.id, decimal(minutes))} done={take} close={props.close}>
      <TextField at="/minutes" label={t.delayMinutes} value={minutes} set={setMinutes} mode="numeric" max={6} />
    </Confirm>
  );
}

function CancelDialog(props: Props & { close: () => void }) {
  const t = texts.value.order;
  const terms = useLoad(() => orders.cancellation(props.order.id), [props.order.id, props.order.situation]);
  const [reason, setReason] = useState("");
  const allowed = terms.value?.allowed === true;
  const take = (order: Order) => {
    props.take(order);
    props.close();
  };
  let text = <p role="status">{t.cancelTerms}</p>;
  if (terms.value !== null) text = <p>{termsText(terms.value, zoneOf(props.order.pickupAddress.state))}</p>;
  else if (terms.error !== null) text = <Failure error={terms.error} retry={terms.again} />;
  return (
    <Confirm danger title={t.cancelTitle} text={text} no={t.keep} yes={allowed ? t.doCancel : null} act={() => orders.cancel(props.order.id, reason.trim())} done={take} close={props.close}>
      {allowed && <Reason value={reason} set={setReason} optional />}
    </Confirm>
  );
}

function termsText(terms: Cancellation, zone: string): string {
  const t = texts.value.order;
  if (terms.mode === "return_required") return t.cancelReturn;
  if (!terms.allowed) return t.cancelClosed;
  if (terms.mode === "paid") return t.cancelPaid(money(terms.fee ?? 0));
  return terms.changesAt === null ? t.cancelFree : t.cancelFreeUntil(moment(terms.changesAt, zone, now.value));
}
