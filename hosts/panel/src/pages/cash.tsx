/** The cash that couriers carry: change, handovers and blind closings. */

import { useState } from "preact/hooks";
import { cash } from "../api/client";
import { form, newIdempotencyKey } from "../api/http";
import { readPages } from "../api/pages";
import type { CashRow, CloseCash, ClosedCash, MoveCash, PaymentMethod } from "../api/wire";
import { closingLines, differenceText, readSlips } from "../cash";
import { money } from "../format";
import { cashTexts } from "../i18n/cash";
import { texts } from "../i18n";
import { paymentMethodTexts } from "../i18n/payment-methods";
import { amount as readAmount } from "../numbers";
import { isOwner, store } from "../session";
import { Confirm } from "../ui/confirm";
import { Dialog } from "../ui/dialog";
import { ChoiceField, ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { lazy } from "../ui/lazy";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, When } from "../ui/parts";
import { StoreChoice } from "../ui/store-choice";
import { useSubmit } from "../ui/submit";
import { Table, actionsColumn } from "../ui/table";
import { notify } from "../ui/toast";

const PrintClosing = lazy(
  () => import("../ui/print-closing").then((module) => module.PrintClosing),
  0,
);

/** Pages of 50 couriers that are read. The page says if there are more. */
const MAX_PAGES = 20;

async function loadRows(storeId: number): Promise<{ rows: CashRow[]; more: boolean }> {
  const { pages, more } = await readPages((cursor) => cash.list(storeId, cursor), MAX_PAGES);
  return { rows: pages.flatMap((page) => page.couriers), more: more !== null };
}

type Work = { row: CashRow; kind: "float" | "handovers" | "close" };

export function CashPage() {
  const t = cashTexts.value;
  const [storeId, setStoreId] = useState(store.value?.id ?? 0);
  const rows = useLoad(() => loadRows(storeId), [storeId]);
  const [work, setWork] = useState<Work | null>(null);
  const done = () => {
    setWork(null);
    rows.reload();
  };
  return (
    <Page title={t.title} lead={t.lead}>
      <div class="cash-page">
        <div class="filters">
          <StoreChoice value={storeId} set={setStoreId} />
        </div>
        <Loaded of={rows}>
          {({ rows: found, more }) =>
            found.length === 0 ? (
              <Empty text={t.empty} hint={t.emptyHint} />
            ) : (
              <>
                <Rows rows={found} start={setWork} />
                {more && <p class="hint">{t.more(found.length)}</p>}
              </>
            )
          }
        </Loaded>
      </div>
      {work !== null &&
        (work.kind === "close" ? (
          <Closing row={work.row} storeId={storeId} done={done} changed={rows.reload} />
        ) : (
          <Moving row={work.row} storeId={storeId} kind={work.kind} done={done} />
        ))}
    </Page>
  );
}

function Rows(props: { rows: CashRow[]; start: (work: Work) => void }) {
  const t = cashTexts.value;
  const number = { right: true, class: "number" };
  const optional = (amount: number | null) => (amount === null ? "—" : money(amount));
  const button = (row: CashRow, kind: Work["kind"], label: string, name: string) => (
    <button
      type="button"
      class="button small"
      aria-label={name}
      onClick={() => props.start({ row, kind })}
    >
      {label}
    </button>
  );
  return (
    <Table
      label={t.title}
      rows={props.rows}
      id={(row) => row.courierId}
      columns={[
        { head: t.courier, kind: "main", cell: (row) => row.courierName },
        { head: t.float, ...number, cell: (row) => money(row.float) },
        isOwner.value
          ? { head: t.collected, ...number, cell: (row) => optional(row.collected) }
          : null,
        { head: t.handedOver, ...number, cell: (row) => money(row.handedOver) },
        isOwner.value ? { head: t.inHand, ...number, cell: (row) => optional(row.inHand) } : null,
        {
          head: t.open,
          cell: (row) =>
            row.openDeliveries === 0 ? "—" : t.openOf(row.openDeliveries, money(row.due)),
        },
        {
          head: t.last,
          cell: (row) =>
            row.difference === null ? (
              "—"
            ) : (
              <>
                <When at={row.closedAt} /> · {differenceText(row.difference)}
              </>
            ),
        },
        actionsColumn((row: CashRow) => (
          <div class="row">
            {button(row, "float", t.giveFloat, t.giveFloatTo(row.courierName))}
            {button(row, "handovers", t.handOver, t.handOverOf(row.courierName))}
            {row.entries > 0 && button(row, "close", t.close, t.closeOf(row.courierName))}
          </div>
        )),
      ]}
    />
  );
}

/** A key for one request: another content is another request. */
function useKey() {
  const [key, setKey] = useState(newIdempotencyKey);
  return { key, renew: () => setKey(newIdempotencyKey()) };
}

function Moving(props: {
  row: CashRow;
  storeId: number;
  kind: "float" | "handovers";
  done: () => void;
}) {
  const t = cashTexts.value;
  const { row, kind } = props;
  const [typed, setTyped] = useState({ amount: "", method: "CASH", reference: "" });
  const { key, renew } = useKey();
  const set = (change: Partial<typeof typed>) => {
    setTyped({ ...typed, ...change });
    renew();
  };
  const act = () => {
    const body = form<MoveCash>({
      ...typed,
      method: typed.method as PaymentMethod,
      amount: readAmount(typed.amount),
    });
    return cash[kind](row.courierId, props.storeId, body, key);
  };
  return (
    <Confirm
      title={kind === "float" ? t.giveFloatTo(row.courierName) : t.handOverOf(row.courierName)}
      submitLabel={t.save}
      closeLabel={texts.value.common.back}
      act={act}
      done={() => {
        notify(t.saved);
        props.done();
      }}
      close={props.done}
    >
      <TextField
        pointer="/amount"
        label={t.amount}
        value={typed.amount}
        set={(amount) => set({ amount })}
        mode="decimal"
        max={16}
      />
      {kind === "handovers" && (
        <ChoiceField
          pointer="/method"
          label={t.method}
          value={typed.method}
          set={(method) => set({ method })}
          options={(["CASH", "PIX"] as const).map((one) => [one, paymentMethodTexts.value[one]])}
        />
      )}
      <TextField
        pointer="/reference"
        label={t.reference}
        hint={t.referenceHint}
        value={typed.reference}
        set={(reference) => set({ reference })}
        max={64}
      />
    </Confirm>
  );
}

/** Asks for the count first. The expected amount is only in the response. */
function Closing(props: { row: CashRow; storeId: number; done: () => void; changed: () => void }) {
  const t = cashTexts.value;
  const { row } = props;
  const [typed, setTyped] = useState({ counted: "", slips: "" });
  const [closed, setClosed] = useState<ClosedCash | null>(null);
  const { key, renew } = useKey();
  const set = (change: Partial<typeof typed>) => {
    setTyped({ ...typed, ...change });
    renew();
  };
  const act = () =>
    cash.close(
      props.storeId,
      form<CloseCash>({
        courierId: row.courierId,
        counted: readAmount(typed.counted),
        slips: readSlips(typed.slips),
        period: row.period,
      }),
      key,
    );
  if (closed !== null) return <Closed of={closed} storeId={props.storeId} done={props.done} />;
  return (
    <Confirm
      title={t.closeOf(row.courierName)}
      submitLabel={t.closeNow}
      closeLabel={texts.value.common.back}
      act={act}
      done={(result) => {
        setClosed(result);
        props.changed();
      }}
      close={props.done}
    >
      <div data-testid="close-cash">
        <p class="hint">{t.countHint}</p>
        {row.openDeliveries > 0 && <p class="notice">{t.openWarning(row.openDeliveries)}</p>}
        <TextField
          pointer="/counted"
          label={t.counted}
          value={typed.counted}
          set={(counted) => set({ counted })}
          mode="decimal"
          max={16}
        />
        <TextField
          pointer="/slips"
          label={t.slips}
          hint={t.slipsHint}
          value={typed.slips}
          set={(slips) => set({ slips })}
          lines={2}
        />
      </div>
    </Confirm>
  );
}

function Closed(props: { of: ClosedCash; storeId: number; done: () => void }) {
  const t = cashTexts.value;
  const [closed, setClosed] = useState(props.of);
  const [printed, setPrinted] = useState(false);
  const { closing } = closed;
  return (
    <>
      <Dialog title={t.closed(closing.courierName ?? "")} close={props.done}>
        <div class="closed-cash" data-testid="closed-cash">
          <dl class="facts">
            {closingLines(closing).map(([name, amount]) => (
              <div key={name} class="fact">
                <dt>{name}</dt>
                <dd class="number">{money(amount)}</dd>
              </div>
            ))}
          </dl>
          <p class={closing.difference === 0 ? "hint" : "notice"}>
            {differenceText(closing.difference)} {closing.difference !== 0 && t.noPay}
          </p>
          {closing.difference !== 0 && (
            <Reason
              of={closed}
              storeId={props.storeId}
              done={(reason) => setClosed({ ...closed, reason })}
            />
          )}
          <div class="row end">
            <button type="button" class="button" onClick={() => setPrinted(true)}>
              {t.print}
            </button>
            <button type="button" class="button primary" onClick={props.done}>
              {t.done}
            </button>
          </div>
        </div>
      </Dialog>
      {printed && <PrintClosing of={closed} close={() => setPrinted(false)} />}
    </>
  );
}

function Reason(props: { of: ClosedCash; storeId: number; done: (reason: string) => void }) {
  const t = cashTexts.value;
  const { courierId, period } = props.of;
  const [reason, setReason] = useState("");
  const { key, renew } = useKey();
  const { error, busy, submit } = useSubmit(
    () => cash.explain(props.storeId, { courierId, period, reason }, key),
    () => {
      notify(t.saved);
      props.done(reason);
    },
  );
  if (props.of.reason !== null)
    return (
      <p>
        {t.reason}: {props.of.reason}
      </p>
    );
  return (
    <form onSubmit={submit} noValidate>
      <FieldErrors.Provider value={fieldErrorsOf(error)}>
        <ErrorBox error={error} />
        <TextField
          pointer="/reason"
          label={t.reason}
          value={reason}
          set={(typed) => {
            setReason(typed);
            renew();
          }}
          max={255}
        />
      </FieldErrors.Provider>
      <div class="row end">
        <button type="submit" class="button" aria-disabled={busy}>
          {t.sendReason}
        </button>
      </div>
    </form>
  );
}
