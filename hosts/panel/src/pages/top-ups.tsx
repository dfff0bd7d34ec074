/** Top-ups of the balance by Pix to the operator. */

import { useState } from "preact/hooks";
import { topUps } from "../api/client";
import { form, newIdempotencyKey } from "../api/http";
import type { RequestTopUp, TopUp, TopUpList } from "../api/wire";
import { money } from "../format";
import { texts } from "../i18n";
import { balanceTexts } from "../i18n/balance";
import { paymentTexts } from "../i18n/payments";
import { amount as readAmount } from "../numbers";
import { Dialog } from "../ui/dialog";
import { ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { useLoad } from "../ui/load";
import { When } from "../ui/parts";
import { lazy } from "../ui/lazy";
import { useSubmit } from "../ui/submit";
import { Table, actionsColumn } from "../ui/table";

const PixCode = lazy(() => import("../ui/pix").then((module) => module.PixCode), 0);

/** Nothing, unless the operator receives payments by Pix. */
export function TopUps() {
  const list = useLoad(() => topUps.list(), []);
  const { value } = list;
  if (value === null || (value.maxAmount === null && value.topUps.length === 0)) return null;
  return <Found of={value} reload={list.reload} />;
}

function Found(props: { of: TopUpList; reload: () => void }) {
  const t = paymentTexts.value;
  const { maxAmount, topUps: known } = props.of;
  const [shown, setShown] = useState<TopUp | null>(null);
  return (
    <section class="card top-ups" data-testid="top-ups">
      <h2>{t.topUp}</h2>
      <p class="hint">{t.topUpLead}</p>
      {maxAmount !== null && (
        <Request
          max={maxAmount}
          done={(request) => {
            setShown(request);
            props.reload();
          }}
        />
      )}
      {known.length > 0 && (
        <Table
          label={t.topUps}
          rows={known}
          id={(one) => one.txid}
          columns={[...topUpColumns(), actionsColumn((one: TopUp) => showButton(one, setShown))]}
        />
      )}
      {shown?.pix && (
        <Dialog title={t.pay(money(shown.amount))} close={() => setShown(null)}>
          <PixCode of={shown.pix} hint={t.payHint} />
          <p class="notice">{t.pending}</p>
          <div class="row end">
            <button type="button" class="button" onClick={() => setShown(null)}>
              {texts.value.common.close}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** The columns of a list of top-ups, without actions. */
export function topUpColumns() {
  const t = paymentTexts.value;
  return [
    {
      head: t.reference,
      kind: "main" as const,
      cell: (one: TopUp) => <span class="number">{one.txid}</span>,
    },
    { head: t.requestedAt, cell: (one: TopUp) => <When at={one.requestedAt} full /> },
    { head: t.state, cell: (one: TopUp) => t.states[one.state] },
    {
      head: balanceTexts.value.amount,
      right: true,
      class: "number",
      cell: (one: TopUp) => money(one.amount),
    },
  ];
}

function showButton(one: TopUp, show: (one: TopUp) => void) {
  const t = paymentTexts.value;
  return one.pix === null ? null : (
    <button
      type="button"
      class="button small"
      aria-label={`${t.show}: ${one.txid}`}
      onClick={() => show(one)}
    >
      {t.show}
    </button>
  );
}

function Request(props: { max: number; done: (request: TopUp) => void }) {
  const t = paymentTexts.value;
  const [text, setText] = useState("");
  const [key, setKey] = useState(newIdempotencyKey);
  const { error, busy, submit } = useSubmit(
    () => topUps.request(form<RequestTopUp>({ amount: readAmount(text) }), key),
    (request) => {
      setText("");
      setKey(newIdempotencyKey());
      props.done(request);
    },
  );
  return (
    <form class="row end-fields" onSubmit={submit} noValidate data-testid="top-up">
      <FieldErrors.Provider value={fieldErrorsOf(error)}>
        <ErrorBox error={error} />
        <TextField
          pointer="/amount"
          label={t.topUpAmount(money(props.max))}
          value={text}
          set={(typed) => {
            setText(typed);
            setKey(newIdempotencyKey());
          }}
          mode="decimal"
          max={16}
        />
      </FieldErrors.Provider>
      <button type="submit" class="button primary" aria-disabled={busy}>
        {t.request}
      </button>
    </form>
  );
}
