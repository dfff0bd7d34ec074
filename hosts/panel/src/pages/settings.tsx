/** What a store's recipients see, and the proof that its couriers need. */

import { useState } from "preact/hooks";
import { policies } from "../api/client";
import { ApiError } from "../api/http";
import type {
  Choice,
  NotifyAt,
  ProofPart,
  ProofPolicy,
  ProofRule,
  ProofStep,
  StoreHours,
  TrackingPolicy,
} from "../api/wire";
import { phone, phoneFormat, phoneRequest } from "../format";
import { texts } from "../i18n";
import { accessibleStores, isOwner, setPreparation, store } from "../session";
import {
  CheckField,
  CheckList,
  ChoiceField,
  ErrorBox,
  FieldErrors,
  FieldGroup,
  TextField,
  fieldErrorsOf,
} from "../ui/field";
import { lazy } from "../ui/lazy";
import { useLoad } from "../ui/load";
import { Loaded, Page } from "../ui/parts";
import { useSubmit } from "../ui/submit";
import { notify } from "../ui/toast";
import { DeviceSettings } from "./device-settings";
import { HoursForm } from "./hours-form";
import { PaymentsForm } from "./payments-form";
import { createTexts } from "../i18n/create";
import { peopleTexts } from "../i18n/people";

const AreaForm = lazy(() => import("./area-form").then((module) => module.AreaForm));

export function SettingsPage() {
  const t = peopleTexts.value;
  return (
    <Page title={t.title}>
      <div class="narrow">
        <DeviceSettings />
        {isOwner.value && <StoreSettings />}
      </div>
    </Page>
  );
}

/** What only an owner can set. */
function StoreSettings() {
  const t = peopleTexts.value;
  const [id, setId] = useState(store.value?.id ?? 0);
  const stores = accessibleStores.value;
  return (
    <>
      <p class="lead">{t.lead}</p>
      {stores.length > 1 && (
        <ChoiceField
          pointer="/store"
          label={texts.value.common.store}
          value={String(id)}
          set={(value) => setId(Number(value))}
          options={stores.map((one) => [String(one.id), one.name] as const)}
        />
      )}
      <Policies key={id} id={id} />
    </>
  );
}

/** The policies of one store. Another store has a new component, so that no form shows or saves the values of the previous store. */
function Policies({ id }: { id: number }) {
  const hours = useLoad(() => policies.hours(id), [id]);
  const area = useLoad(() => policies.area(id), [id]);
  const address = accessibleStores.value.find((one) => one.id === id)?.address;
  const centre =
    address?.latitude == null || address.longitude == null
      ? null
      : ([address.latitude, address.longitude] as const);
  const tracking = useLoad(() => policies.tracking(id), [id]);
  const payments = useLoad(() => policies.payments(id), [id]);
  const proofs = useLoad(() => policies.proofs(id), [id]);
  return (
    <>
      <Loaded of={hours}>
        {(value) => <HoursForm id={id} value={value} onSaved={hoursSaved(id)} />}
      </Loaded>
      <Loaded of={area}>
        {(value) => <AreaForm id={id} value={value} centre={centre} onSaved={saved} />}
      </Loaded>
      <Loaded of={payments}>
        {(value) => <PaymentsForm id={id} value={value} onSaved={saved} />}
      </Loaded>
      <Loaded of={tracking}>{(value) => <TrackingForm id={id} value={value} />}</Loaded>
      <Loaded of={proofs}>{(value) => <ProofForm id={id} rules={value.rules} />}</Loaded>
    </>
  );
}

const hoursSaved = (id: number) => (hours: StoreHours) => {
  setPreparation(id, hours.preparationTime ?? null);
  saved();
};

const saved = () => notify(peopleTexts.value.saved);

const CHOICES: readonly Choice[] = ["DOORMAN", "NEIGHBOUR", "AT_DOOR", "CALL_STORE"];
const NOTIFY_AT: readonly NotifyAt[] = ["CREATED", "PICKED_UP", "EN_ROUTE"];

function TrackingForm(props: { id: number; value: TrackingPolicy }) {
  const t = peopleTexts.value;
  const [value, setValue] = useState(props.value);
  const set = (part: Partial<TrackingPolicy>) => setValue((before) => ({ ...before, ...part }));
  const contact = (part: Partial<TrackingPolicy["contact"]>) =>
    set({ contact: { ...value.contact, ...part } });
  const form = useSubmit(
    () =>
      policies.setTracking(props.id, {
        ...value,
        contact: {
          ...value.contact,
          phone: value.contact.phone ? phoneRequest(value.contact.phone) : null,
        },
      }),
    saved,
  );
  return (
    <form class="card" onSubmit={form.submit} noValidate data-testid="tracking">
      <h2>{t.tracking}</h2>
      <FieldErrors.Provider value={fieldErrorsOf(form.error)}>
        <ErrorBox error={form.error} />
        <CheckField
          pointer="/enabled"
          label={t.enabled}
          hint={t.enabledHint}
          value={value.enabled}
          set={(enabled) => set({ enabled })}
        />
        <fieldset class="group grid two">
          <legend class="strong">{t.contact}</legend>
          <TextField
            pointer="/contact/name"
            label={t.contactName}
            optional
            value={value.contact.name ?? ""}
            set={(name) => contact({ name: name || null })}
            max={255}
          />
          <TextField
            pointer="/contact/phone"
            label={t.contactPhone}
            optional
            hint={createTexts.value.phoneHint}
            value={phone(value.contact.phone ?? "")}
            set={(typed) => contact({ phone: typed || null })}
            format={phoneFormat}
            max={32}
            type="tel"
            mode="tel"
          />
          <TextField
            pointer="/contact/text"
            label={t.contactText}
            optional
            value={value.contact.text ?? ""}
            set={(text) => contact({ text: text || null })}
            max={500}
            lines={2}
          />
        </fieldset>
        <CheckList
          pointer="/choices"
          legend={t.allowed}
          all={CHOICES}
          name={(one) => t.choices[one]}
          chosen={value.choices}
          set={(choices) => set({ choices })}
        />
        <CheckList
          pointer="/notifyAt"
          legend={t.notifyAt}
          all={NOTIFY_AT}
          name={(one) => t.notify[one]}
          chosen={value.notifyAt}
          set={(notifyAt) => set({ notifyAt })}
        />
      </FieldErrors.Provider>
      <button type="submit" class="button primary" aria-disabled={form.busy}>
        {t.save}
      </button>
    </form>
  );
}

const STEPS: readonly ProofStep[] = ["PICKUP", "DELIVERY", "FAILURE", "RETURN"];
const PARTS: readonly ProofPart[] = ["PHOTO", "NAME", "NOTE", "POSITION"];

/** A rule in the form. Its ID stays the same when other rows are removed. */
type Row = ProofRule & { id: number };

let lastRow = 0;
const rowOf = (rule: ProofRule): Row => {
  lastRow += 1;
  return { ...rule, id: lastRow };
};

/** One row for each step, and rows for single reasons of a failed delivery. */
function rowsOf(rules: readonly ProofRule[]): Row[] {
  const ofStep = (step: ProofStep): ProofRule => ({
    step,
    reason: null,
    requires: PARTS.filter((part) =>
      rules.some(
        (rule) => rule.step === step && rule.reason === null && rule.requires.includes(part),
      ),
    ),
  });
  return [...STEPS.map(ofStep), ...rules.filter((rule) => rule.reason !== null)].map(rowOf);
}

/** Returns the error with the IDs of the sent rows instead of their indices. */
function withRowIds(error: unknown, sent: readonly Row[]): unknown {
  if (!(error instanceof ApiError)) return error;
  const named = (pointer: string) =>
    pointer.replace(/^\/rules\/(\d+)/, (_, index: string) => `/rules/${sent[Number(index)]?.id}`);
  return new ApiError({
    ...error.problem,
    errors: error.fields.map((one) => ({ ...one, pointer: named(one.pointer) })),
  });
}

/** Sends the rows with a part; a row without one is not a rule. */
async function send(storeId: number, rows: readonly Row[]): Promise<ProofPolicy> {
  const sent = rows.filter((row) => row.requires.length > 0);
  try {
    return await policies.setProofs(storeId, {
      rules: sent.map(({ step, reason, requires }) => ({
        step,
        reason: reason?.trim() || null,
        requires,
      })),
    });
  } catch (error) {
    throw withRowIds(error, sent);
  }
}

function ProofForm(props: { id: number; rules: readonly ProofRule[] }) {
  const t = peopleTexts.value;
  const [rows, setRows] = useState(() => rowsOf(props.rules));
  const set = (id: number, part: Partial<ProofRule>) =>
    setRows((before) => before.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const form = useSubmit(() => send(props.id, rows), saved);
  return (
    <form class="card" onSubmit={form.submit} noValidate data-testid="proof-policy">
      <h2>{t.required}</h2>
      <p class="hint">{t.requiredHint}</p>
      <FieldErrors.Provider value={fieldErrorsOf(form.error)}>
        <ErrorBox error={form.error} />
        <FieldGroup pointer="/rules" class="rules" label={t.required}>
          {rows.map((row) => (
            <div key={row.id} class="rule">
              <CheckList
                pointer={`/rules/${row.id}/requires`}
                legend={t.steps[row.step]}
                all={PARTS}
                name={(part) => t.parts[part]}
                chosen={row.requires}
                set={(requires) => set(row.id, { requires })}
              />
              {row.reason !== null && (
                <div class="row">
                  <TextField
                    pointer={`/rules/${row.id}/reason`}
                    label={t.reason}
                    hint={t.reasonHint}
                    value={row.reason}
                    set={(reason) => set(row.id, { reason })}
                    max={255}
                  />
                  <button
                    type="button"
                    class="button small"
                    onClick={() => setRows(rows.filter(({ id }) => id !== row.id))}
                  >
                    {t.removeRule}
                  </button>
                </div>
              )}
            </div>
          ))}
        </FieldGroup>
      </FieldErrors.Provider>
      <div class="row">
        <button
          type="button"
          class="button"
          onClick={() =>
            setRows([...rows, rowOf({ step: "FAILURE", reason: "", requires: ["PHOTO"] })])
          }
        >
          {t.addRule}
        </button>
        <button type="submit" class="button primary" aria-disabled={form.busy}>
          {t.save}
        </button>
      </div>
    </form>
  );
}
