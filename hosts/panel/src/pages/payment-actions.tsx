/** The Pix code of a delivery, and the record of its payment at the door. */

import { PAYABLE } from "despacho/lifecycle";
import { useState } from "preact/hooks";
import { orders } from "../api/client";
import { form } from "../api/http";
import type { Delivery, Order, PaymentMethod, RecordPayment } from "../api/wire";
import { money, typed } from "../format";
import { orderTexts } from "../i18n/order";
import { paymentMethodTexts } from "../i18n/payment-methods";
import { paymentTexts } from "../i18n/payments";
import { amount as readAmount } from "../numbers";
import { Confirm } from "../ui/confirm";
import { ChoiceField, TextField } from "../ui/field";
import { lazy } from "../ui/lazy";

const PixCode = lazy(() => import("../ui/pix").then((module) => module.PixCode), 0);

interface Props {
  orderId: number;
  stop: Delivery;
  onChange: (order: Order) => void;
}

const METHODS: readonly PaymentMethod[] = ["PIX", "CASH", "CARD_MACHINE"];

export function PaymentActions(props: Props) {
  const t = paymentTexts.value;
  const [dialog, setDialog] = useState<"pix" | "record" | null>(null);
  const { stop } = props;
  const received = stop.paymentsReceived ?? [];
  const pix = stop.payment?.pix ?? null;
  if (stop.onlinePayment) return null;
  const name = stop.name ?? orderTexts.value.stop(stop.orderRoute);
  return (
    <>
      {received.length > 0 && (
        <p class="plus" data-testid="received">
          {t.recorded(
            received
              .map((one) => `${paymentMethodTexts.value[one.method]} ${money(one.amount)}`)
              .join(" + "),
          )}
        </p>
      )}
      {PAYABLE.includes(stop.situation) && (
        <p class="actions">
          {pix !== null && (
            <button
              type="button"
              class="button small"
              aria-label={t.pixOf(name)}
              onClick={() => setDialog("pix")}
            >
              {t.pix}
            </button>
          )}
          <button
            type="button"
            class="button small"
            aria-label={`${t.record}: ${name}`}
            onClick={() => setDialog("record")}
          >
            {t.record}
          </button>
        </p>
      )}
      {dialog === "pix" && pix !== null && (
        <Confirm
          title={t.pixOf(name)}
          submitLabel={null}
          act={() => Promise.resolve()}
          done={() => setDialog(null)}
          close={() => setDialog(null)}
        >
          <PixCode of={pix} hint={t.unconfirmed} />
        </Confirm>
      )}
      {dialog === "record" && <RecordDialog {...props} close={() => setDialog(null)} />}
    </>
  );
}

function RecordDialog(props: Props & { close: () => void }) {
  const t = paymentTexts.value;
  const { orderId, stop } = props;
  const [method, setMethod] = useState<PaymentMethod>(stop.payment?.method ?? "PIX");
  const due = stop.payment?.parts.find((part) => part.method === method)?.amount;
  const [entered, setEntered] = useState<string | null>(null);
  const [reference, setReference] = useState("");
  const shown = entered ?? typed(due ?? stop.productValue ?? "");
  return (
    <Confirm
      title={t.recordTitle}
      text={<p>{t.unconfirmed}</p>}
      submitLabel={t.record}
      act={() =>
        orders.recordPayment(
          orderId,
          form<RecordPayment>({
            deliveryId: stop.id,
            method,
            received: readAmount(shown),
            reference: reference.trim() || null,
          }),
        )
      }
      done={(order) => {
        props.onChange(order);
        props.close();
      }}
      close={props.close}
    >
      <ChoiceField
        pointer="/method"
        label={t.method}
        value={method}
        set={(chosen) => setMethod(chosen as PaymentMethod)}
        options={METHODS.map((one) => [one, paymentMethodTexts.value[one]] as const)}
      />
      <TextField
        pointer="/received"
        label={t.received}
        value={shown}
        set={setEntered}
        mode="decimal"
        max={16}
      />
      <TextField
        pointer="/reference"
        label={t.reference}
        hint={t.referenceHint}
        optional
        value={reference}
        set={setReference}
        max={64}
      />
    </Confirm>
  );
}
