/** The form of a step that needs a code, a reason, a payment or a proof. */

import { useEffect, useRef, useState } from "preact/hooks";
import { money } from "../../brazil";
import { Dialog } from "../../ui/dialog";
import { take } from "../actions";
import { fix } from "../position";
import { requiredParts, ruledReasons } from "../rules";
import { retract } from "../queue";
import type { NextStop } from "../state";
import { removePhoto } from "../storage";
import { proofStep, type Proof, type StepKind } from "../steps";
import { texts } from "../texts";
import type { PaymentMethod } from "../wire";
import { PixButton } from "./pix";
import { Button, Field, FieldError, announce } from "./parts";
import {
  EMPTY,
  check,
  codeField,
  hasContent,
  ownMethod,
  paymentAt,
  paymentOf,
  without,
  type Errors,
  type TakenPhoto,
  type Values,
} from "./form";
import { ProofFields } from "./proof";
import { ReasonField } from "./reason";

interface Props {
  at: NextStop;
  kind: StepKind;
  label: string;
  close: () => void;
}

export function StepForm(props: Props) {
  const t = texts.value;
  const { at, kind } = props;
  const [values, setValues] = useState(EMPTY);
  const [errors, setErrors] = useState<Errors>({});
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isTaken = useRef(false);
  const isOpen = useRef(true);
  const photos = useRef(values.photos);
  photos.current = values.photos;
  useEffect(
    () => () => {
      isOpen.current = false;
      discard(photos.current, isTaken.current);
    },
    [],
  );

  const code = codeField(at, kind);
  const hasReason = kind === "fail" || kind === "decline";
  const required = requiredParts(at.order, kind, values.reason);
  const payment = paymentAt(at, kind);
  const due = payment === null ? null : money(payment);
  /** Changes values. The errors that concern them, and the rejection of the last attempt, no longer apply. */
  const set = (part: Partial<Values>) => {
    setValues((before) => ({ ...before, ...part }));
    setErrors((before) => without(before, part));
    setProblem("");
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    const proof = proofOf(values);
    const found = check({
      values,
      proof,
      required,
      needsCode: code !== null,
      hasReason,
      needsPayment: due !== null,
    });
    setErrors(found);
    setProblem("");
    if (Object.keys(found).length > 0) return focusFirstError(form.current);
    setBusy(true);
    // From here on the photos belong to the step, even if this form is closed.
    isTaken.current = true;
    try {
      const { key, outcome } = await take(at, kind, props.label, {
        code: code === null ? null : values.code.trim(),
        reason: hasReason ? values.reason.trim() : null,
        proof: proofStep(kind) !== undefined && hasContent(proof, required) ? proof : null,
        payment: due === null ? null : paymentOf(values, at),
      });
      // A form that was closed meanwhile leaves the reason to the banner.
      if (!isOpen.current) return;
      if (outcome?.accepted === false) {
        // The form shows the reason, so the banner need not.
        await retract(key);
        isTaken.current = false;
        setProblem(outcome.detail);
        return;
      }
      announce(t.done[kind]);
      props.close();
    } catch {
      isTaken.current = false;
      setProblem(t.form.notStored);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog title={t.steps[kind]} close={props.close}>
      <form
        ref={form}
        onSubmit={(event) => void submit(event)}
        noValidate
        class="step"
        data-testid={`form-${kind}`}
      >
        <p class="dim">
          {props.label} · {t.trip.order(at.order.code)}
        </p>
        {problem !== "" && (
          <p class="error box" role="alert">
            {problem}
          </p>
        )}
        {hasReason && (
          <ReasonField
            kind={kind}
            ruled={ruledReasons(at.order, kind)}
            value={values.reason}
            set={(reason) => set({ reason })}
            error={errors.reason}
          />
        )}
        {code !== null && (
          <Field
            id="step-code"
            code
            label={code.label}
            hint={code.hint}
            value={values.code}
            set={(text) => set({ code: text })}
            error={errors.code}
            max={64}
          />
        )}
        {due !== null && (
          <div class="field">
            <label class="check">
              <input
                type="checkbox"
                id="step-paid"
                checked={values.isPaid}
                aria-invalid={errors.payment === undefined ? undefined : "true"}
                aria-describedby={errors.payment === undefined ? undefined : "step-paid-error"}
                onChange={(event) => set({ isPaid: event.currentTarget.checked })}
              />
              {t.form.collected(due)}
            </label>
            <FieldError id="step-paid" error={errors.payment} />
            {at.delivery !== null && <PixButton of={at.delivery} />}
            <PaymentFields at={at} values={values} set={set} />
          </div>
        )}
        {proofStep(kind) !== undefined && (
          <ProofFields
            orderId={at.order.id}
            kind={kind}
            required={required}
            values={values}
            set={set}
            errors={errors}
          />
        )}
        <div class="form-bar">
          <Button onClick={props.close}>{t.cancel}</Button>
          <Button
            type="submit"
            kind={hasReason ? "danger" : "primary"}
            busy={isBusy}
            testId="submit"
          >
            {isBusy ? t.form.sending : t.steps[kind]}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Frees the previews, and removes the photos of a form that was closed without a step. */
function discard(photos: readonly TakenPhoto[], isTaken: boolean): void {
  for (const photo of photos) {
    URL.revokeObjectURL(photo.url);
    if (!isTaken) void removePhoto(photo.key);
  }
}

const METHODS: readonly PaymentMethod[] = ["PIX", "CASH", "CARD_MACHINE"];

/** What the recipient handed over, if it is not what was agreed. */
function PaymentFields(props: {
  at: NextStop;
  values: Values;
  set: (part: Partial<Values>) => void;
}) {
  const t = texts.value;
  const { at, values, set } = props;
  const method = values.method || ownMethod(at);
  return (
    <details class="optional">
      <summary>{t.form.otherPayment}</summary>
      <div class="stack">
        <fieldset class="field">
          <legend>{t.form.method}</legend>
          <div class="languages">
            {METHODS.map((one) => (
              <button
                key={one}
                type="button"
                class="button plain"
                aria-pressed={one === method}
                onClick={() => set({ method: one })}
              >
                {t.trip.payments[one]}
              </button>
            ))}
          </div>
        </fieldset>
        <Field
          id="step-received"
          label={t.form.received}
          value={values.received}
          set={(received) => set({ received })}
          optional
          max={16}
        />
        <Field
          id="step-reference"
          label={t.form.reference}
          value={values.reference}
          set={(reference) => set({ reference })}
          optional
          max={64}
        />
      </div>
    </details>
  );
}

function proofOf(values: Values): Proof {
  const place = fix.peek();
  return {
    photos: values.photos.map((photo) => photo.key),
    receivedBy: values.receivedBy.trim() || null,
    note: values.note.trim() || null,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
  };
}

function focusFirstError(form: HTMLFormElement | null): void {
  // The errors are rendered after this event.
  setTimeout(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), 0);
}
