/** The fees of past orders compared with those of the draft. */

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../api/http";
import type { FeeComparison, StoreComparison, TariffComparison } from "../../api/wire";
import { zone } from "../../context";
import { dateTime, money, quantity } from "../../format";
import { ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../../ui/field";
import { Table } from "../../ui/table";
import { tariffTexts } from "../texts/tariffs";
import type { ChosenStore } from "../order-filter";
import { StorePicker } from "../ui/store-picker";
import { compareAll, type Tariff } from "./api";
import { progress } from "./comparison";
import { DRAFT, tariffDraft } from "./draft";
import { Difference } from "./preview";

export const DEFAULT_DAYS = 30;
const MAX_DAYS = 92;
/** Stores in the table. */
const MAX_ROWS = 500;

export interface Calculated {
  /** The JSON of the compared tariff. */
  key: string;
  days: number;
  storeId: number | null;
  result: TariffComparison;
}

export interface WhatIfState {
  value: Calculated | null;
  error: unknown;
  /** The sum of the portions so far, while the calculation runs. */
  part: TariffComparison | null;
  busy: boolean;
  cancelled: boolean;
  calculate: (tariff: Tariff, days: number, storeId: number | null) => void;
  cancel: () => void;
  /** Removes the error of the last calculation. */
  forget: () => void;
}

export function useWhatIf(): WhatIfState {
  const [value, setValue] = useState<Calculated | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [part, setPart] = useState<TariffComparison | null>(null);
  const [run, setRun] = useState<AbortController | null>(null);
  const [cancelled, setCancelled] = useState(false);
  // A page that is left does not continue the run.
  useEffect(() => () => run?.abort(), [run]);
  const calculate = (tariff: Tariff, days: number, storeId: number | null) => {
    if (run !== null) return;
    const stop = new AbortController();
    setRun(stop);
    setError(null);
    setPart(null);
    setCancelled(false);
    const of = { tariff, days, ...(storeId === null ? {} : { storeId }) };
    compareAll(of, stop.signal, (sum) => {
      if (!stop.signal.aborted) setPart(sum);
    })
      .then(
        (result) => setValue({ key: JSON.stringify(tariff), days, storeId, result }),
        (failure: unknown) => (stop.signal.aborted ? setCancelled(true) : setError(failure)),
      )
      .finally(() => setRun(null));
  };
  return {
    value,
    error,
    part,
    busy: run !== null,
    cancelled,
    calculate,
    cancel: () => run?.abort(),
    forget: () => setError(null),
  };
}

/** How far the comparison is, and a button that cancels it. */
export function Progress(props: { of: WhatIfState }) {
  const t = tariffTexts.value;
  const { part, cancel } = props.of;
  return (
    <div class="row">
      <progress
        aria-label={t.calculating}
        max={1}
        {...(part === null ? {} : { value: progress(part) })}
      />
      <span class="dim">{part === null ? t.calculating : t.compared(part.orders)}</span>
      <button type="button" class="button small" onClick={cancel}>
        {t.stop}
      </button>
    </div>
  );
}

export function WhatIfSection(props: { of: WhatIfState; tariff: Tariff; isValid: boolean }) {
  const t = tariffTexts.value;
  const { value: draft, set } = tariffDraft(DRAFT);
  const { value, error, busy, calculate, forget } = props.of;
  // The form above shows the errors of the tariff itself.
  const isOfTariff =
    error instanceof ApiError &&
    error.fields.length > 0 &&
    error.fields.every(({ pointer }) => pointer.startsWith("/tariff"));
  const days = Number(draft.days);
  const isPeriod = Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;
  const isStore = draft.store.text.trim() === "" || draft.store.id !== null;
  const unknownStore =
    error instanceof ApiError && error.problem.code === "store_not_found"
      ? error.problem.detail
      : null;
  const changeStore = (store: ChosenStore) => {
    set({ store });
    if (unknownStore !== null) forget();
  };
  return (
    <section class="stack" aria-labelledby="what-if">
      <h2 id="what-if">{t.whatIf}</h2>
      <p class="hint">{t.whatIfHint}</p>
      <FieldErrors.Provider
        value={
          isPeriod
            ? fieldErrorsOf(error)
            : [{ pointer: "/days", code: "out_of_range", detail: t.daysInvalid }]
        }
      >
        <div class="filters">
          <TextField
            pointer="/days"
            label={t.days}
            mode="numeric"
            max={2}
            value={draft.days}
            set={(typed) => set({ days: typed })}
          />
          <StorePicker value={draft.store} error={unknownStore} set={changeStore} />
          <button
            type="button"
            class="button"
            aria-disabled={busy}
            disabled={!isPeriod || !isStore || !props.isValid}
            onClick={() => calculate(props.tariff, days, draft.store.id)}
          >
            {busy ? t.calculating : t.calculate}
          </button>
        </div>
        {busy && <Progress of={props.of} />}
        {!isOfTariff && unknownStore === null && <ErrorBox error={error} />}
      </FieldErrors.Provider>
      <div role="status">
        {value !== null && value.key !== JSON.stringify(props.tariff) && (
          <p class="notice">{t.outdated}</p>
        )}
      </div>
      {value !== null && <Result of={value.result} />}
    </section>
  );
}

function Result(props: { of: TariffComparison }) {
  const t = tariffTexts.value;
  const { of } = props;
  const cells = <Row extends FeeComparison>() => [
    { head: t.orders, right: true, class: "number", cell: (row: Row) => quantity(row.orders) },
    { head: t.currentFee, right: true, class: "number", cell: (row: Row) => money(row.currentFee) },
    { head: t.draftFee, right: true, class: "number", cell: (row: Row) => money(row.draftFee) },
    {
      head: t.difference,
      right: true,
      class: "number",
      cell: (row: Row) => <Difference of={row.difference} />,
    },
    {
      head: t.outOfRange,
      right: true,
      class: "number",
      cell: (row: Row) => (row.outOfRange > 0 ? <strong class="late">{row.outOfRange}</strong> : 0),
    },
  ];
  return (
    <div class="stack" data-testid="what-if">
      <p class="dim">{t.period(dateTime(of.from, zone.value), dateTime(of.until, zone.value))}</p>
      <Totals of={of} />
      {of.stores.length > 0 && (
        <>
          <Table
            label={t.whatIf}
            class="tight"
            rows={of.stores.slice(0, MAX_ROWS)}
            id={(row) => row.storeId}
            columns={[
              {
                head: tariffTexts.value.storeName,
                kind: "main",
                cell: (row: StoreComparison) => (
                  <>
                    {row.storeName}
                    <span class="dim number"> #{row.storeId}</span>
                  </>
                ),
              },
              ...cells<StoreComparison>(),
            ]}
          />
          {of.stores.length > MAX_ROWS && <p class="hint">{t.listed(MAX_ROWS)}</p>}
        </>
      )}
    </div>
  );
}

/** The totals, and warnings of what they do not contain. */
export function Totals(props: { of: TariffComparison }) {
  const t = tariffTexts.value;
  const { of } = props;
  if (of.orders === 0) return <p class="notice">{t.noOrders}</p>;
  return (
    <>
      {of.outOfRange > 0 && (
        <p class="error-box" role="alert">
          {t.outOfRangeText(of.outOfRange)}
        </p>
      )}
      <dl class="facts totals-list">
        <div class="fact">
          <dt>{t.orders}</dt>
          <dd class="number">{quantity(of.orders)}</dd>
        </div>
        <div class="fact">
          <dt>{t.currentFee}</dt>
          <dd class="number">{money(of.currentFee)}</dd>
        </div>
        <div class="fact">
          <dt>{t.draftFee}</dt>
          <dd class="number">{money(of.draftFee)}</dd>
        </div>
        <div class="fact strong">
          <dt>{t.difference}</dt>
          <dd class="number">
            <Difference of={of.difference} />
          </dd>
        </div>
      </dl>
    </>
  );
}
