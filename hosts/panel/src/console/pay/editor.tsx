/** The editor of a pay plan's draft, with what orders pay by it. The server checks every change. */

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../api/http";
import type { FieldError, PayPlanVersion, PayPreview, PaySample } from "../../api/wire";
import { zone } from "../../context";
import { dateTime, kilometres, money } from "../../format";
import { payTypeTexts } from "../../i18n/pay-types";
import { go } from "../../router";
import { Confirm } from "../../ui/confirm";
import { ChoiceField, FieldErrors, TextField } from "../../ui/field";
import { Empty, Page } from "../../ui/parts";
import { notify } from "../../ui/toast";
import {
  DraftActions,
  EffectiveField,
  PreviewFailure,
  effectiveFrom,
  useChecked,
  type Checked,
} from "../draft-parts";
import { Windows } from "../tariffs/editor";
import { payTexts } from "../texts/pay";
import { tariffTexts } from "../texts/tariffs";
import { GROUPS, type Group } from "./amounts";
import { payPlans, type PayPlan } from "./api";
import {
  DRAFT,
  MAX_ITEMS,
  planDraft,
  readPlan,
  readSamples,
  type PlanDraft,
  type TypedPlan,
} from "./draft";

export function PlanEditor() {
  const t = payTexts.value;
  const { value } = planDraft(DRAFT);
  const back = (
    <a class="button" href="#/pay">
      {t.back}
    </a>
  );
  return (
    <Page title={t.draftTitle} lead={t.draftLead} aside={back}>
      {value.plan === null ? (
        <Empty text={tariffTexts.value.noDraft} />
      ) : (
        <Form of={value} plan={value.plan} />
      )}
    </Page>
  );
}

function Form(props: { of: PlanDraft; plan: TypedPlan }) {
  const [t, tariff] = [payTexts.value, tariffTexts.value];
  const { of, plan: typed } = props;
  const stored = planDraft(DRAFT);
  const set = (part: Partial<TypedPlan>) => stored.set({ plan: { ...typed, ...part } });
  const { plan, errors: local } = readPlan(typed);
  const { samples, errors: invalid } = readSamples(of);
  const canPreview = local.length === 0 && invalid.length === 0;
  const preview = useChecked<Priced>(
    [plan, samples],
    canPreview
      ? async (signal) => ({ samples, pay: await payPlans.preview(plan, samples, signal) })
      : null,
  );
  const [isActivating, setActivating] = useState(false);
  const [rejected, setRejected] = useState<readonly FieldError[]>([]);
  const key = JSON.stringify([of.name, plan]);
  // A rejected plan keeps its errors until it is changed.
  useEffect(() => setRejected([]), [key]);
  const checked =
    preview.error instanceof ApiError
      ? preview.error.fields.filter(({ pointer }) => pointer.startsWith("/plan"))
      : [];
  const errors = [...(local.length > 0 ? local : checked), ...rejected];
  return (
    <div class="sections tariff">
      <FieldErrors.Provider value={errors}>
        <div class="stack">
          <fieldset class="card">
            <legend>{t.name}</legend>
            <div class="grid">
              <TextField
                pointer="/name"
                label={t.name}
                hint={t.nameHint}
                max={40}
                value={of.name}
                set={(name) => stored.set({ name })}
              />
              <TextField
                pointer="/plan/version"
                label={tariff.version}
                hint={tariff.versionHint}
                max={40}
                value={typed.version}
                set={(version) => set({ version })}
              />
              <ChoiceField
                pointer="/plan/combine"
                label={t.combine}
                value={typed.combine}
                set={(combine) => set({ combine })}
                options={Object.entries(t.combinations)}
              />
            </div>
          </fieldset>
          <Amounts group="order" of={typed} set={set} />
          <Bands of={typed} set={set} />
          <Amounts group="more" of={typed} set={set} />
          <Windows
            base="/plan"
            hint={t.windowsHint}
            percentHint={t.percentHint}
            max={MAX_ITEMS}
            windows={typed.windows}
            set={(windows) => set({ windows })}
          />
          <Amounts group="shift" of={typed} set={set} />
        </div>
      </FieldErrors.Provider>
      <Preview of={preview} draft={of} errors={invalid} />
      <DraftActions
        errors={errors}
        status=""
        canActivate={local.length === 0}
        activate={() => setActivating(true)}
        discard={() => {
          stored.clear();
          go("/pay");
        }}
      />
      {isActivating && (
        <Activation plan={plan} rejected={setRejected} close={() => setActivating(false)} />
      )}
    </div>
  );
}

function Amounts(props: { group: Group; of: TypedPlan; set: (part: Partial<TypedPlan>) => void }) {
  const t = payTexts.value;
  const { group, of, set } = props;
  return (
    <fieldset class="card">
      <legend>{t.groups[group]}</legend>
      <p class="hint">{t.groupHint}</p>
      <div class="grid">
        {GROUPS[group].map(({ path, unit, max }) => (
          <TextField
            key={path}
            pointer={`/plan/${path.replace(".", "/")}`}
            label={t.names[path]}
            hint={t.range(unit, max)}
            mode="decimal"
            max={14}
            value={of.amounts[path]}
            set={(value) => set({ amounts: { ...of.amounts, [path]: value } })}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Bands(props: { of: TypedPlan; set: (part: Partial<TypedPlan>) => void }) {
  const t = payTexts.value;
  const { bands } = props.of;
  const set = (next: TypedPlan["bands"]) => props.set({ bands: next });
  const change = (at: number, part: Partial<TypedPlan["bands"][number]>) =>
    set(bands.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset class="card">
      <legend>{t.bands}</legend>
      <p class="hint">{t.bandsHint}</p>
      {bands.map((band, at) => (
        <fieldset key={at} class="group rule">
          <legend>{t.band(at + 1)}</legend>
          <div class="grid windows">
            <TextField
              pointer={`/plan/bands/${at}/untilKm`}
              label={t.untilKm}
              mode="decimal"
              max={14}
              value={band.untilKm}
              set={(untilKm) => change(at, { untilKm })}
            />
            <TextField
              pointer={`/plan/bands/${at}/amount`}
              label={t.amount}
              mode="decimal"
              max={14}
              value={band.amount}
              set={(amount) => change(at, { amount })}
            />
          </div>
          <button
            type="button"
            class="button small"
            onClick={() => set(bands.filter((_, index) => index !== at))}
          >
            {t.removeBand(at + 1)}
          </button>
        </fieldset>
      ))}
      <button
        type="button"
        class="button"
        disabled={bands.length >= MAX_ITEMS}
        onClick={() => set([...bands, { untilKm: "", amount: "" }])}
      >
        {t.addBand}
      </button>
    </fieldset>
  );
}

/** Samples with what they pay. */
interface Priced {
  samples: readonly PaySample[];
  pay: PayPreview;
}

function Preview(props: { of: Checked<Priced>; draft: PlanDraft; errors: readonly FieldError[] }) {
  const [t, tariff] = [payTexts.value, tariffTexts.value];
  const { set } = planDraft(DRAFT);
  const { draft } = props;
  const { value, last, error } = props.of;
  const isOld = value === null;
  return (
    <section class="stack" aria-labelledby="preview">
      <h2 id="preview">{t.preview}</h2>
      <FieldErrors.Provider value={props.errors}>
        <div class="grid">
          <TextField
            pointer="/samples/distances"
            label={tariff.distances}
            hint={tariff.listHint}
            max={100}
            value={draft.distances}
            set={(distances) => set({ distances })}
          />
          <TextField
            pointer="/samples/deliveries"
            label={t.deliveries}
            mode="numeric"
            max={2}
            value={draft.deliveries}
            set={(deliveries) => set({ deliveries })}
          />
          <TextField
            pointer="/samples/time"
            label={t.time}
            max={5}
            value={draft.time}
            set={(time) => set({ time })}
          />
          <div class="check">
            <input
              id="pay-with-return"
              type="checkbox"
              checked={draft.hasReturn}
              onChange={(event) => set({ hasReturn: event.currentTarget.checked })}
            />
            <label for="pay-with-return">{tariff.withReturn}</label>
          </div>
        </div>
      </FieldErrors.Provider>
      <PreviewFailure error={error} base="/plan" />
      <p class="warn-text price-note">{last !== null && isOld && tariff.oldPrices}</p>
      {last !== null && (
        <div class="table-box" role="region" aria-label={t.preview} tabIndex={0} aria-busy={isOld}>
          <table class={`prices${isOld ? " old" : ""}`} data-testid="pay-preview">
            <tbody>
              {last.pay.orders.map((order, at) => (
                <tr key={at}>
                  <th scope="row" class="number">
                    {kilometres(last.samples[at]?.distanceKm ?? 0)}
                  </th>
                  <td>
                    {order.lines
                      .map((line) => `${payTypeTexts.value[line.type]} ${money(line.amount)}`)
                      .join(" + ")}
                  </td>
                  <td class="right number" data-label={t.sum}>
                    <strong>{money(order.amount)}</strong>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Activation(props: {
  plan: PayPlan;
  rejected: (fields: readonly FieldError[]) => void;
  close: () => void;
}) {
  const [t, tariff] = [payTexts.value, tariffTexts.value];
  const draft = planDraft(DRAFT);
  const { name, effective } = draft.value;
  const act = () =>
    payPlans
      .create({ name: name.trim(), plan: props.plan, ...effectiveFrom(effective) }, draft.key())
      .catch((error: unknown) => {
        const isOfForm = (field: FieldError) => field.pointer !== "/effectiveFrom";
        if (error instanceof ApiError && error.fields.some(isOfForm)) {
          props.rejected(error.fields.filter(isOfForm));
          props.close();
        }
        throw error;
      });
  const done = (version: PayPlanVersion) => {
    draft.clear();
    const label = `${version.name} ${version.plan.version}`;
    notify(
      version.state === "SCHEDULED"
        ? t.scheduled(label, dateTime(version.effectiveFrom, zone.value))
        : t.activated(label),
    );
    go("/pay");
  };
  return (
    <Confirm
      title={t.activateTitle(`${name} ${props.plan.version}`)}
      text={t.activateText}
      submitLabel={tariff.activate}
      closeLabel={tariff.cancel}
      act={act}
      done={done}
      close={props.close}
    >
      <EffectiveField value={effective} set={(value) => draft.set({ effective: value })} />
    </Confirm>
  );
}
