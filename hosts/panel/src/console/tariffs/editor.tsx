/** The editor of a tariff's draft. The server checks every change. */

import { useEffect, useState } from "preact/hooks";
import { ApiError, online } from "../../api/http";
import type {
  FieldError,
  Tariff as StoredTariff,
  TariffVersion,
  TariffWindow,
  VehicleKind,
  VehicleSurcharge,
} from "../../api/wire";
import { quantity } from "../../format";
import { loadTexts } from "../../i18n/load";
import { VEHICLES } from "../../load";
import { go } from "../../router";
import { CheckList, ChoiceField, Field, FieldErrors, TextField } from "../../ui/field";
import { useLoad } from "../../ui/load";
import { Empty, Loaded, Page } from "../../ui/parts";
import { DraftActions } from "../draft-parts";
import { tariffTexts } from "../texts/tariffs";
import { Activation } from "./activate";
import { readCurrent, type Tariff } from "./api";
import { AMOUNTS } from "./amounts";
import {
  DRAFT,
  MAX_WINDOWS,
  WEEKDAYS,
  emptySurcharge,
  emptyWindow,
  parseTariff,
  readTariff,
  tariffDraft,
  typedTariff,
  type TypedTariff,
} from "./draft";
import { Preview, readSamples, usePreview } from "./preview";
import { WhatIfSection, useWhatIf } from "./what-if";

export function Editor() {
  const t = tariffTexts.value;
  const current = useLoad(readCurrent, []);
  const draft = tariffDraft(DRAFT).value.tariff;
  if (draft === null) {
    return (
      <Page
        title={t.draftTitle}
        aside={
          <a class="button" href="#/tariffs">
            {t.back}
          </a>
        }
      >
        <Empty text={t.noDraft} hint={t.noDraftHint} />
      </Page>
    );
  }
  return <Loaded of={current}>{(found) => <Form draft={draft} current={found} />}</Loaded>;
}

/** Returns the invalid fields of the draft, or null while they are unknown. */
function invalidFields(
  local: readonly FieldError[],
  error: unknown,
  isChecked: boolean,
): readonly FieldError[] | null {
  if (local.length > 0) return local;
  if (error instanceof ApiError)
    return error.fields.filter(({ pointer }) => pointer.startsWith("/tariff"));
  return isChecked ? [] : null;
}

function Form(props: { draft: TypedTariff; current: TariffVersion | null }) {
  const t = tariffTexts.value;
  const { draft, current } = props;
  const stored = tariffDraft(DRAFT);
  const set = (part: Partial<TypedTariff>) => stored.set({ tariff: { ...draft, ...part } });
  const { tariff, errors: local } = readTariff(draft);
  const inForce = current === null ? null : readTariff(typedTariff(current.tariff)).tariff;
  const samples = readSamples(stored.value);
  const preview = usePreview(local.length === 0 ? tariff : null, inForce, samples);
  const whatIf = useWhatIf();
  const [isActivating, setActivating] = useState(false);
  const [rejected, setRejected] = useState<readonly FieldError[]>([]);
  const key = JSON.stringify(tariff);
  // A rejected tariff keeps its errors until it is changed.
  useEffect(() => setRejected([]), [key]);
  const checked = invalidFields(local, preview.error, preview.value !== null);
  const errors = [...(checked ?? []), ...rejected];
  const isChecking = checked === null && online.value && samples !== null;
  const status = isChecking ? t.checking : checked === null ? "" : t.valid;
  return (
    <Page
      title={t.draftTitle}
      {...(current === null ? {} : { lead: t.draftLead(current.tariff.version) })}
      aside={
        <a class="button" href="#/tariffs">
          {t.back}
        </a>
      }
    >
      <div class="sections tariff">
        <FieldErrors.Provider value={errors}>
          <div class="stack">
            <Amounts draft={draft} set={set} current={current?.tariff ?? null} />
            <Windows
              base="/tariff"
              hint={t.windowsHint}
              percentHint={t.percentHint}
              max={MAX_WINDOWS}
              windows={draft.windows}
              set={(windows) => set({ windows })}
            />
            <Vehicles surcharges={draft.vehicles ?? []} set={(vehicles) => set({ vehicles })} />
            <JsonView
              draft={tariff}
              isValid={local.length === 0}
              set={(pasted) => stored.set({ tariff: pasted })}
            />
          </div>
          <Preview of={preview} draft={tariff} />
        </FieldErrors.Provider>
        <WhatIfSection of={whatIf} tariff={tariff} isValid={local.length === 0} />
        <DraftActions
          errors={errors}
          status={status}
          canActivate={local.length === 0}
          activate={() => setActivating(true)}
          discard={() => {
            stored.clear();
            go("/tariffs");
          }}
        />
      </div>
      {isActivating && (
        <Activation
          tariff={tariff}
          known={whatIf.value}
          rejected={(fields) => {
            setRejected(fields);
            setActivating(false);
          }}
          close={() => setActivating(false)}
        />
      )}
    </Page>
  );
}

function Amounts(props: {
  draft: TypedTariff;
  set: (part: Partial<TypedTariff>) => void;
  current: StoredTariff | null;
}) {
  const t = tariffTexts.value;
  const { draft, set, current } = props;
  const now = current === null ? null : typedTariff(current);
  const hint = (range: string, value: string | undefined, own: string) =>
    value === undefined || value === own ? range : `${range}. ${t.now(value)}`;
  return (
    <fieldset class="card">
      <legend>{t.amounts}</legend>
      <div class="grid">
        <TextField
          wide
          pointer="/tariff/version"
          label={t.version}
          hint={hint(t.versionHint.replace(/\.$/, ""), now?.version, draft.version)}
          max={40}
          value={draft.version}
          set={(version) => set({ version })}
        />
        {AMOUNTS.map(({ name, unit, max }) => {
          const range =
            name === "maxDistanceKm" || name === "serviceRadiusKm"
              ? t.rangeAbove(unit, quantity(max))
              : t.range(unit, "0", quantity(max));
          return (
            <TextField
              key={name}
              pointer={`/tariff/${name}`}
              label={t.names[name]}
              hint={hint(range, now?.[name], draft[name])}
              mode="decimal"
              max={14}
              value={draft[name]}
              set={(value) => set({ [name]: value })}
            />
          );
        })}
      </div>
    </fieldset>
  );
}

/** Surcharges by time of day, of a tariff or a pay plan. `base` is the pointer to it. */
export function Windows(props: {
  base: string;
  hint: string;
  percentHint: string;
  max: number;
  windows: readonly TariffWindow[];
  set: (windows: TariffWindow[]) => void;
}) {
  const t = tariffTexts.value;
  const { base, windows, set } = props;
  const change = (at: number, part: Partial<TariffWindow>) =>
    set(windows.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset class="card">
      <legend>{t.windows}</legend>
      <p class="hint">{props.hint}</p>
      {windows.map((window, at) => (
        <fieldset key={at} class="group rule">
          <legend>{t.window(at + 1)}</legend>
          <div class="grid windows">
            <TextField
              pointer={`${base}/windows/${at}/name`}
              label={t.windowName}
              max={40}
              value={window.name}
              set={(name) => change(at, { name })}
            />
            <TimeField
              pointer={`${base}/windows/${at}/from`}
              label={t.from}
              value={window.from}
              set={(from) => change(at, { from })}
            />
            <TimeField
              pointer={`${base}/windows/${at}/until`}
              label={t.until}
              value={window.until}
              set={(until) => change(at, { until })}
            />
            <TextField
              pointer={`${base}/windows/${at}/percent`}
              label={t.percent}
              hint={props.percentHint}
              mode="decimal"
              max={10}
              value={window.percent}
              set={(percent) => change(at, { percent })}
            />
          </div>
          <Days
            base={`${base}/windows/${at}`}
            days={window.days}
            set={(days) => change(at, { days })}
          />
          <button
            type="button"
            class="button small"
            aria-label={t.removeWindow(at + 1)}
            onClick={() => set(windows.filter((_, index) => index !== at))}
          >
            {t.removeWindow(at + 1)}
          </button>
        </fieldset>
      ))}
      <button
        type="button"
        class="button"
        disabled={windows.length >= props.max}
        onClick={() => set([...windows, emptyWindow()])}
      >
        {t.addWindow}
      </button>
    </fieldset>
  );
}

function Vehicles(props: {
  surcharges: readonly VehicleSurcharge[];
  set: (surcharges: VehicleSurcharge[]) => void;
}) {
  const [t, { names }] = [tariffTexts.value, loadTexts.value];
  const { surcharges, set } = props;
  const change = (at: number, part: Partial<VehicleSurcharge>) =>
    set(surcharges.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset class="card">
      <legend>{t.vehicles}</legend>
      <p class="hint">{t.vehiclesHint}</p>
      {surcharges.map((one, at) => (
        <fieldset key={at} class="group rule">
          <legend>{t.window(at + 1)}</legend>
          <div class="grid windows">
            <ChoiceField
              pointer={`/tariff/vehicles/${at}/vehicle`}
              label={t.vehicleFrom}
              value={one.vehicle}
              set={(vehicle) => change(at, { vehicle: vehicle as VehicleKind })}
              options={VEHICLES.map((kind) => [kind, names[kind]])}
            />
            <TextField
              pointer={`/tariff/vehicles/${at}/percent`}
              label={t.percent}
              hint={t.vehiclePercentHint}
              mode="decimal"
              max={10}
              value={one.percent}
              set={(percent) => change(at, { percent })}
            />
            <TextField
              pointer={`/tariff/vehicles/${at}/fee`}
              label={t.vehicleFee}
              hint={t.range("R$", "0", quantity(10_000))}
              mode="decimal"
              max={14}
              value={one.fee}
              set={(fee) => change(at, { fee })}
            />
          </div>
          <button
            type="button"
            class="button small"
            aria-label={t.removeVehicle(at + 1)}
            onClick={() => set(surcharges.filter((_, index) => index !== at))}
          >
            {t.removeVehicle(at + 1)}
          </button>
        </fieldset>
      ))}
      <button
        type="button"
        class="button"
        disabled={surcharges.length >= VEHICLES.length}
        onClick={() => set([...surcharges, emptySurcharge(surcharges)])}
      >
        {t.addVehicle}
      </button>
    </fieldset>
  );
}

function TimeField(props: {
  pointer: string;
  label: string;
  value: string;
  set: (value: string) => void;
}) {
  return (
    <Field pointer={props.pointer} label={props.label}>
      {(attributes) => (
        <input
          {...attributes}
          type="time"
          required
          value={props.value}
          onInput={(event) => event.currentTarget.value && props.set(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function Days(props: { base: string; days: readonly string[]; set: (days: string[]) => void }) {
  const t = tariffTexts.value;
  const legend = (
    <>
      {t.weekdays} <span class="hint">{t.weekdaysHint}</span>
    </>
  );
  return (
    <CheckList
      pointer={`${props.base}/days`}
      class="weekdays"
      legend={legend}
      all={WEEKDAYS}
      name={(day) => t.weekday[day]}
      chosen={props.days}
      set={props.set}
    />
  );
}

function JsonView(props: { draft: Tariff; isValid: boolean; set: (tariff: TypedTariff) => void }) {
  const t = tariffTexts.value;
  const own = JSON.stringify(props.draft, null, 2);
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const apply = () => {
    try {
      props.set(parseTariff(typed ?? own));
      setTyped(null);
      setError(null);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <details class="card">
      <summary>{t.json}</summary>
      <FieldErrors.Provider
        value={error === null ? [] : [{ pointer: "/json", code: "invalid_json", detail: error }]}
      >
        <TextField
          pointer="/json"
          label={t.jsonLabel}
          hint={t.jsonHint}
          lines={14}
          max={20_000}
          value={typed ?? own}
          set={setTyped}
        />
      </FieldErrors.Provider>
      <div class="row end">
        <button type="button" class="button" onClick={apply}>
          {t.apply}
        </button>
      </div>
    </details>
  );
}
