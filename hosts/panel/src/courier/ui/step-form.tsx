/** The form of a step that needs a code, a reason, a payment or a proof. */

import { useEffect, useRef, useState } from "preact/hooks";
import { money } from "../../brazil";
import { Dialog } from "../../ui/dialog";
import { take } from "../actions";
import { fix } from "../position";
import { missingParts, requiredParts, ruledReasons } from "../rules";
import { retract } from "../queue";
import type { NextStop } from "../state";
import { removePhoto } from "../storage";
import { proofStep, type Proof, type StepKind } from "../steps";
import { texts } from "../texts";
import type { ProofPart } from "../wire";
import { Button, Field, FieldError, announce } from "./parts";
import { EMPTY, type Errors, type TakenPhoto, type Values } from "./form";
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
  const amount =
    kind === "deliver" && at.delivery !== null && !at.delivery.onlinePayment
      ? money(at.delivery.productValue ?? 0)
      : null;
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
      needsPayment: amount !== null,
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
        {amount !== null && (
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
              {t.form.collected(amount)}
            </label>
            <FieldError id="step-paid" error={errors.payment} />
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

/** The errors that concern each value. Another reason can require other parts of a proof. */
const CONCERNS: Record<keyof Values, readonly (keyof Errors)[]> = {
  code: ["code"],
  isPaid: ["payment"],
  photos: ["PHOTO"],
  receivedBy: ["NAME"],
  note: ["NOTE"],
  reason: ["reason", "PHOTO", "NAME", "NOTE", "POSITION"],
};

/** Returns the errors that do not concern the changed values. */
function without(errors: Errors, changed: Partial<Values>): Errors {
  const solved = (Object.keys(changed) as (keyof Values)[]).flatMap((name) => CONCERNS[name]);
  return Object.fromEntries(
    Object.entries(errors).filter(([name]) => !solved.includes(name as keyof Errors)),
  );
}

/** Frees the previews, and removes the photos of a form that was closed without a step. */
function discard(photos: readonly TakenPhoto[], isTaken: boolean): void {
  for (const photo of photos) {
    URL.revokeObjectURL(photo.url);
    if (!isTaken) void removePhoto(photo.key);
  }
}

function codeField(at: NextStop, kind: StepKind): { label: string; hint: string } | null {
  const t = texts.value.form;
  if (kind === "pickup") return { label: t.pickupCode, hint: t.pickupCodeHint };
  if (kind === "hand-back") return { label: t.returnCode, hint: t.returnCodeHint };
  return kind === "deliver" && at.delivery?.codeRequired === true
    ? { label: t.deliveryCode, hint: t.deliveryCodeHint }
    : null;
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

/** Returns whether there is a proof to store. A position is one only if the store requires it. */
function hasContent(proof: Proof, required: ReadonlySet<ProofPart>): boolean {
  return (
    proof.photos.length > 0 || proof.receivedBy !== null || proof.note !== null || required.size > 0
  );
}

function check(given: {
  values: Values;
  proof: Proof;
  required: ReadonlySet<ProofPart>;
  needsCode: boolean;
  hasReason: boolean;
  needsPayment: boolean;
}): Errors {
  const t = texts.value.form;
  const errors: Errors = {};
  if (given.needsCode && given.values.code.trim() === "") errors.code = t.missingCode;
  if (given.hasReason && given.values.reason.trim() === "") errors.reason = t.missingReason;
  if (given.needsPayment && !given.values.isPaid) errors.payment = t.missingPayment;
  for (const part of missingParts(given.required, given.proof)) errors[part] = t.missing[part];
  return errors;
}

function focusFirstError(form: HTMLFormElement | null): void {
  // The errors are rendered after this event.
  setTimeout(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), 0);
}
