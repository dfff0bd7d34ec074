/** What a merchant may do with an order: only what its situation allows is offered. */

import { useState } from "preact/hooks";
import { orders } from "../api/client";
import type { Cancellation, Delivery, OrderDetails } from "../api/wire";
import { money, moment, zoneOf } from "../format";
import { now } from "../clock";
import { texts } from "../i18n";
import { Dialog } from "../ui/dialog";
import { Faults, Refusal, TextField, faultsOf } from "../ui/field";
import { useLoad } from "../ui/load";
import { Failure } from "../ui/parts";

interface Props {
  order: OrderDetails;
  take: (order: OrderDetails) => void;
}

type Asked = "ready" | "delay" | "cancel" | "waive" | null;

export function OrderActions(props: Props) {
  const t = texts.value.order;
  const [asked, setAsked] = useState<Asked>(null);
  const [error, setError] = useState<unknown>(null);
  const { situation, id } = props.order;
  const close = () => setAsked(null);
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
          <button type="button" class="button" onClick={() => setAsked("delay")}>
            {t.doDelay}
          </button>
        )}
        {(situation === 400 || situation === 410) && (
          <button type="button" class="button" onClick={() => setAsked("waive")}>
            {t.doWaive}
          </button>
        )}
        {situation < 500 && (
          <button type="button" class="button danger" onClick={() => setAsked("cancel")}>
            {t.doCancel}
          </button>
        )}
      </div>
      {error !== null && <Refusal error={error} />}
      {asked === "delay" && <DelayDialog {...props} close={close} />}
      {asked === "cancel" && <CancelDialog {...props} close={close} />}
      {asked === "waive" && (
        <SureDialog title={t.waiveTitle} text={t.waiveText} yes={t.doWaive} act={() => orders.waiveReturn(id)} take={props.take} close={close} />
      )}
    </>
  );
}

export function StopActions(props: Props & { stop: Delivery }) {
  const t = texts.value.order;
  const [asked, setAsked] = useState(false);
  if (props.stop.situation !== 330) return null;
  return (
    <>
      <button type="button" class="button small" onClick={() => setAsked(true)}>
        {t.doDiscard}
      </button>
      {asked && (
        <SureDialog
          title={t.discardTitle}
          text={t.discardText}
          yes={t.doDiscard}
          act={() => orders.discard(props.order.id, props.stop.id)}
          take={props.take}
          close={() => setAsked(false)}
        />
      )}
    </>
  );
}

interface SureProps {
  title: string;
  text: string;
  yes: string;
  act: () => Promise<OrderDetails>;
  take: (order: OrderDetails) => void;
  close: () => void;
}

function SureDialog(props: SureProps) {
  const [error, setError] = useState<unknown>(null);
  const act = () => {
    setError(null);
    props.act().then((order) => {
      props.take(order);
      props.close();
    }, setError);
  };
  return (
    <Dialog title={props.title} close={props.close}>
      <p>{props.text}</p>
      <Refusal error={error} />
      <div class="row end">
        <button type="button" class="button" onClick={props.close}>
          {texts.value.common.close}
        </button>
        <button type="button" class="button danger" onClick={act}>
          {props.yes}
        </button>
      </div>
    </Dialog>
  );
}

function DelayDialog(props: Props & { close: () => void }) {
  const t = texts.value.order;
  const [minutes, setMinutes] = useState("10");
  const [error, setError] = useState<unknown>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setError(null);
    orders.delay(props.order.id, Number(minutes)).then((order) => {
      props.take(order);
      props.close();
    }, setError);
  };
  return (
    <Dialog title={t.delayTitle} close={props.close}>
      <form onSubmit={submit} noValidate>
        <Faults.Provider value={faultsOf(error)}>
          <Refusal error={error} />
          <TextField at="/minutes" label={t.delayMinutes} value={minutes} set={setMinutes} type="number" mode="numeric" />
        </Faults.Provider>
        <div class="row end">
          <button type="button" class="button" onClick={props.close}>
            {texts.value.common.close}
          </button>
          <button type="submit" class="button primary">
            {t.doDelay}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function CancelDialog(props: Props & { close: () => void }) {
  const t = texts.value.order;
  const terms = useLoad(() => orders.cancellation(props.order.id), [props.order.id, props.order.situation]);
  const [reason, setReason] = useState("");
  const [error, setError] = useState<unknown>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setError(null);
    orders.cancel(props.order.id, reason.trim()).then((order) => {
      props.take(order);
      props.close();
    }, setError);
  };
  const allowed = terms.value?.allowed === true;
  return (
    <Dialog title={t.cancelTitle} close={props.close}>
      <form onSubmit={submit} noValidate>
        {terms.value !== null ? <p>{termsText(terms.value, zoneOf(props.order.pickupAddress.state))}</p> : terms.error !== null ? <Failure error={terms.error} retry={terms.again} /> : <p role="status">{t.cancelAsk}</p>}
        <Faults.Provider value={faultsOf(error)}>
          <Refusal error={error} />
          {allowed && <TextField at="/reason" label={t.cancelReason} value={reason} set={setReason} optional most={255} lines={2} />}
        </Faults.Provider>
        <div class="row end">
          <button type="button" class="button" onClick={props.close}>
            {t.keep}
          </button>
          {allowed && (
            <button type="submit" class="button danger">
              {t.doCancel}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function termsText(terms: Cancellation, zone: string): string {
  const t = texts.value.order;
  if (terms.mode === "return_required") return t.cancelReturn;
  if (!terms.allowed) return t.cancelClosed;
  if (terms.mode === "paid") return t.cancelPaid(money(terms.fee ?? 0));
  return terms.changesAt === null ? t.cancelFree : t.cancelFreeUntil(moment(terms.changesAt, zone, now.value));
}
