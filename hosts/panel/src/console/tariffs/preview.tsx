/** The prices of samples with the draft and with the tariff in force. They also check the draft. */

import { useEffect, useState } from "preact/hooks";
import { ApiError, online } from "../../api/http";
import type { FieldError, TariffSample, VehicleKind } from "../../api/wire";
import { zone } from "../../context";
import { STATES, day, kilometres, money, zoneOf } from "../../format";
import { language } from "../../i18n";
import { loadTexts } from "../../i18n/load";
import { VEHICLES } from "../../load";
import { ChoiceField, FieldErrors, TextField } from "../../ui/field";
import { Failure } from "../../ui/parts";
import { tariffTexts } from "../texts/tariffs";
import { tariffs, type PricedSample, type Tariff } from "./api";
import { DRAFT, instantOf, parseDecimal, tariffDraft, type TariffDraft } from "./draft";

const DELAY_MS = 400;
const MAX_SAMPLES = 50;
const MAX_STOPS = 50;

interface Samples {
  distances: number[];
  times: string[];
  list: TariffSample[];
}

const items = (text: string) =>
  text
    .split(";")
    .map((one) => one.trim())
    .filter(Boolean);

/** Returns the invalid fields of the samples. */
function sampleErrors(draft: TariffDraft): FieldError[] {
  const t = tariffTexts.value;
  const [distances, times, stops] = [
    items(draft.distances).map(parseDecimal),
    items(draft.times),
    Number(draft.stops),
  ];
  const isTime = (text: string) => /^([01]?\d|2[0-3]):[0-5]\d$/.test(text);
  const errors: FieldError[] = [];
  const add = (pointer: string, detail: string) =>
    errors.push({ pointer, code: "out_of_range", detail });
  if (distances.length === 0 || distances.some((one) => one === null || one <= 0))
    add("/samples/distances", t.distancesInvalid);
  if (times.length === 0 || !times.every(isTime)) add("/samples/times", t.timesInvalid);
  if (distances.length * times.length > MAX_SAMPLES) add("/samples/times", t.samplesTooMany);
  if (!Number.isInteger(stops) || stops < 1 || stops > MAX_STOPS)
    add("/samples/stops", t.stopsInvalid);
  return errors;
}

/** Returns the samples of the form, or null if they are invalid. */
export function readSamples(draft: TariffDraft): Samples | null {
  if (sampleErrors(draft).length > 0) return null;
  const distances = items(draft.distances).map(parseDecimal);
  const times = items(draft.times);
  const stops = Number(draft.stops);
  const local = zoneOf({ state: draft.state });
  const date = draft.day || day(new Date(), local);
  const known = distances.map((one) => one ?? 0);
  const list = known.flatMap((distanceKm) =>
    times.map(
      (text): TariffSample => ({
        distanceKm,
        stops,
        at: instantOf(date, text, local),
        state: draft.state,
        ...(draft.hasReturn ? { returnKm: distanceKm } : {}),
        ...(draft.vehicle ? { vehicle: draft.vehicle as VehicleKind } : {}),
      }),
    ),
  );
  return { distances: known, times, list };
}

interface Prices {
  key: string;
  samples: Samples;
  draft: PricedSample[];
  current: PricedSample[] | null;
}

export interface PreviewState {
  /** The prices of the present draft, or null while they are unknown. */
  value: Prices | null;
  /** The last prices, shown while new ones are requested. */
  last: Prices | null;
  error: unknown;
}

/** Reads the prices. Orders with a longer route than the tariff permits have none. */
async function read(
  tariff: Tariff,
  samples: Samples,
  signal: AbortSignal,
): Promise<PricedSample[]> {
  const { samples: priced } = await tariffs.preview(tariff, samples.list, signal);
  const isTooFar = (sample: TariffSample | undefined) =>
    sample !== undefined &&
    sample.distanceKm + (sample.returnKm ?? 0) > Number(tariff.maxDistanceKm);
  return priced.map((one, at) =>
    isTooFar(samples.list[at]) ? { ...one, deliveryFee: null } : one,
  );
}

/** Requests the prices when the draft or the samples have changed. */
export function usePreview(
  tariff: Tariff | null,
  current: Tariff | null,
  samples: Samples | null,
): PreviewState {
  const [last, setLast] = useState<Prices | null>(null);
  const [failure, setFailure] = useState<{ key: string; error: unknown } | null>(null);
  const key = JSON.stringify([tariff, samples?.list, language.value]);
  const isOnline = online.value;
  useEffect(() => {
    if (tariff === null || samples === null) return;
    const stop = new AbortController();
    const request = async () => {
      const draft = await read(tariff, samples, stop.signal);
      const present =
        current === null ? null : await read(current, samples, stop.signal).catch(() => null);
      setLast({ key, samples, draft, current: present });
      setFailure(null);
    };
    const timer = setTimeout(
      () =>
        void request().catch((error: unknown) => stop.signal.aborted || setFailure({ key, error })),
      DELAY_MS,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, isOnline, current === null]);
  return {
    value: last?.key === key ? last : null,
    last,
    error: failure?.key === key ? failure.error : null,
  };
}

export function Preview(props: { of: PreviewState; draft: Tariff }) {
  const t = tariffTexts.value;
  const stored = tariffDraft(DRAFT);
  const { value: draft, set } = stored;
  const { last, error } = props.of;
  return (
    <section class="stack" aria-labelledby="preview">
      <h2 id="preview">{t.preview}</h2>
      <p class="hint">{t.previewHint}</p>
      <FieldErrors.Provider value={sampleErrors(draft)}>
        <div class="grid">
          <TextField
            pointer="/samples/distances"
            label={t.distances}
            hint={t.listHint}
            max={100}
            value={draft.distances}
            set={(distances) => set({ distances })}
          />
          <TextField
            pointer="/samples/times"
            label={t.times}
            hint={t.listHint}
            max={100}
            value={draft.times}
            set={(times) => set({ times })}
          />
          <TextField
            pointer="/samples/day"
            label={t.day}
            type="date"
            value={draft.day || day(new Date(), zone.value)}
            set={(name) => set({ day: name })}
          />
          <ChoiceField
            pointer="/samples/state"
            label={t.stateOf}
            value={draft.state}
            set={(state) => set({ state })}
            options={STATES.map((one) => [one, one] as const)}
          />
          <TextField
            pointer="/samples/stops"
            label={t.stops}
            mode="numeric"
            max={2}
            value={draft.stops}
            set={(stops) => set({ stops })}
          />
          <ChoiceField
            pointer="/samples/vehicle"
            label={t.sampleVehicle}
            value={draft.vehicle ?? ""}
            set={(vehicle) => set({ vehicle })}
            options={[
              ["", t.noRequirements],
              ...VEHICLES.map((kind) => [kind, loadTexts.value.names[kind]] as const),
            ]}
          />
          <div class="check">
            <input
              id="with-return"
              type="checkbox"
              checked={draft.hasReturn}
              onChange={(event) => set({ hasReturn: event.currentTarget.checked })}
            />
            <label for="with-return">{t.withReturn}</label>
          </div>
        </div>
      </FieldErrors.Provider>
      <PreviewFailure error={error} />
      <p class="warn-text price-note">{last !== null && props.of.value === null && t.oldPrices}</p>
      {last !== null && <PriceTable of={last} isOld={props.of.value === null} />}
    </section>
  );
}

/** An error that is not one of the tariff's fields, which the form shows. */
function PreviewFailure(props: { error: unknown }) {
  const { error } = props;
  if (error === null) return null;
  if (!(error instanceof ApiError) || error.fields.length === 0) return <Failure error={error} />;
  const own = error.fields.find(({ pointer }) => !pointer.startsWith("/tariff"));
  return own === undefined ? null : (
    <p class="field-error" role="alert">
      {own.detail}
    </p>
  );
}

function PriceTable(props: { of: Prices; isOld: boolean }) {
  const t = tariffTexts.value;
  const { samples, draft, current } = props.of;
  return (
    <div
      class="table-box"
      role="region"
      aria-label={t.preview}
      tabIndex={0}
      aria-busy={props.isOld}
    >
      <table class={`prices${props.isOld ? " old" : ""}`}>
        <thead>
          <tr>
            <th scope="col">{t.distance}</th>
            {samples.times.map((text, at) => (
              <th key={at} scope="col" class="right number">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {samples.distances.map((distance, row) => (
            <tr key={row}>
              <th scope="row" class="number">
                {kilometres(distance)}
              </th>
              {samples.times.map((_, column) => {
                const at = row * samples.times.length + column;
                return (
                  <td key={column} class="right number" data-label={samples.times[column]}>
                    <Price draft={draft[at]} current={current?.[at]} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Price(props: { draft: PricedSample | undefined; current: PricedSample | undefined }) {
  const t = tariffTexts.value;
  const fee = props.draft?.deliveryFee ?? null;
  const present = props.current?.deliveryFee ?? null;
  return (
    <>
      <strong>{fee === null ? t.tooFar : money(Number(fee))}</strong>
      {props.current !== undefined && (
        <span class="sub">
          {present === null ? (
            t.tooFar
          ) : fee !== null && Number(fee) === Number(present) ? (
            t.same
          ) : (
            <>
              {money(Number(present))}
              {fee !== null && (
                <>
                  {" "}
                  (<Difference of={Number(fee) - Number(present)} />)
                </>
              )}
            </>
          )}
        </span>
      )}
    </>
  );
}

/** An amount with its sign. */
export function Difference(props: { of: number }) {
  const { of } = props;
  return (
    <span class={of < 0 ? "less" : of > 0 ? "more" : undefined}>
      {of > 0 ? "+" : ""}
      {money(Math.round(of * 100) / 100)}
    </span>
  );
}
