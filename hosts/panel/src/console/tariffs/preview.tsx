/** The prices of samples with the draft and with the tariff in force. They also check the draft. */

import type { FieldError, TariffSample, VehicleKind } from "../../api/wire";
import { zone } from "../../context";
import { STATES, day, kilometres, money, zoneOf } from "../../format";
import { loadTexts } from "../../i18n/load";
import { VEHICLES } from "../../load";
import { ChoiceField, FieldErrors, TextField } from "../../ui/field";
import { PreviewFailure, useChecked, type Checked } from "../draft-parts";
import { tariffTexts } from "../texts/tariffs";
import { tariffs, type PricedSample, type Tariff } from "./api";
import { DRAFT, instantOf, tariffDraft, type TariffDraft } from "./draft";
import { distancesOf, isTime, items } from "./samples";

const MAX_SAMPLES = 50;
const MAX_STOPS = 50;

interface Samples {
  distances: number[];
  times: string[];
  list: TariffSample[];
}

/** Returns the invalid fields of the samples. */
function sampleErrors(draft: TariffDraft): FieldError[] {
  const t = tariffTexts.value;
  const [distances, times, stops] = [
    distancesOf(draft.distances),
    items(draft.times),
    Number(draft.stops),
  ];
  const errors: FieldError[] = [];
  const add = (pointer: string, detail: string) =>
    errors.push({ pointer, code: "out_of_range", detail });
  if (distances === null) add("/samples/distances", t.distancesInvalid);
  if (times.length === 0 || !times.every(isTime)) add("/samples/times", t.timesInvalid);
  if ((distances?.length ?? 0) * times.length > MAX_SAMPLES)
    add("/samples/times", t.samplesTooMany);
  if (!Number.isInteger(stops) || stops < 1 || stops > MAX_STOPS)
    add("/samples/stops", t.stopsInvalid);
  return errors;
}

/** Returns the samples of the form, or null if they are invalid. */
export function readSamples(draft: TariffDraft): Samples | null {
  const distances = distancesOf(draft.distances);
  if (distances === null || sampleErrors(draft).length > 0) return null;
  const times = items(draft.times);
  const stops = Number(draft.stops);
  const local = zoneOf({ state: draft.state });
  const date = draft.day || day(new Date(), local);
  const list = distances.flatMap((distanceKm) =>
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
  return { distances, times, list };
}

interface Prices {
  samples: Samples;
  draft: PricedSample[];
  current: PricedSample[] | null;
}

export type PreviewState = Checked<Prices>;

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
  const request =
    tariff === null || samples === null
      ? null
      : async (signal: AbortSignal): Promise<Prices> => {
          const draft = await read(tariff, samples, signal);
          const present =
            current === null ? null : await read(current, samples, signal).catch(() => null);
          return { samples, draft, current: present };
        };
  return useChecked([tariff, samples?.list, current === null], request);
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
      <PreviewFailure error={error} base="/tariff" />
      <p class="warn-text price-note">{last !== null && props.of.value === null && t.oldPrices}</p>
      {last !== null && <PriceTable of={last} isOld={props.of.value === null} />}
    </section>
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
