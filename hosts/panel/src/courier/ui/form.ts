/** The form of a step: what it needs, its values and its errors. */

import { signal } from "@preact/signals";
import { outstanding } from "../payment";
import { missingParts } from "../rules";
import type { NextStop } from "../state";
import { amount } from "../../numbers";
import type { Payment, Proof, StepKind } from "../steps";
import { texts } from "../texts";
import type { PaymentMethod, ProofPart } from "../wire";

export interface TakenPhoto {
  key: string;
  url: string;
}

export interface Values {
  code: string;
  reason: string;
  isPaid: boolean;
  photos: readonly TakenPhoto[];
  receivedBy: string;
  note: string;
  /** Empty for the method of the order. */
  method: PaymentMethod | "";
  /** Empty for the amount due. */
  received: string;
  reference: string;
}

export type Errors = Partial<Record<"code" | "reason" | "payment" | ProofPart, string>>;

export const EMPTY: Values = {
  code: "",
  reason: "",
  isPaid: false,
  photos: [],
  receivedBy: "",
  note: "",
  method: "",
  received: "",
  reference: "",
};

/** The open form. It belongs to no screen, because its own step can end the trip before the service has decided. */
export const openForm = signal<{ at: NextStop; kind: StepKind; label: string } | null>(null);

/** Returns the field of the code that a step needs, or null. */
export function codeField(at: NextStop, kind: StepKind): { label: string; hint: string } | null {
  const t = texts.value.form;
  if (kind === "pickup") return { label: t.pickupCode, hint: t.pickupCodeHint };
  if (kind === "hand-back") return { label: t.returnCode, hint: t.returnCodeHint };
  return kind === "deliver" && at.delivery?.codeRequired === true
    ? { label: t.deliveryCode, hint: t.deliveryCodeHint }
    : null;
}

/** Returns the amount in reais that the courier collects with a step, or null. */
export const paymentAt = (at: NextStop, kind: StepKind): number | null =>
  kind === "deliver" && at.delivery !== null ? outstanding(at.delivery) : null;

/** The method of the order, if it is only one. */
export function ownMethod(at: NextStop): PaymentMethod | "" {
  const payment = at.delivery?.payment;
  return payment !== undefined && (payment.parts?.length ?? 1) < 2 ? payment.method : "";
}

/** The typed amount, or null if it is not one. */
function receivedOf(values: Values): number | null {
  // Other text is returned unchanged.
  const value: unknown = amount(values.received);
  return typeof value === "number" ? value : null;
}

/** The payment to record. Without a known method or amount, the counter records it. */
export function paymentOf(values: Values, at: NextStop): Payment | null {
  const method = values.method || ownMethod(at);
  const isKnown = at.delivery?.productValue != null;
  const due = isKnown ? paymentAt(at, "deliver") : null;
  const typed = values.received.trim() === "" ? due : receivedOf(values);
  if (method === "" || typed === null) return null;
  // A record replaces the earlier one of its method, so it has the sum of both.
  const earlier = at.delivery?.paymentsReceived?.find((one) => one.method === method)?.amount ?? 0;
  const received = Math.round((typed + earlier) * 100) / 100;
  return { method, received, reference: values.reference.trim() || null };
}

/** Returns whether there is a proof to store. A position is one only if the store requires it. */
export function hasContent(proof: Proof, required: ReadonlySet<ProofPart>): boolean {
  return (
    proof.photos.length > 0 || proof.receivedBy !== null || proof.note !== null || required.size > 0
  );
}

/** Returns the errors of the fields that the step needs and that are empty. */
export function check(given: {
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
  else if (given.needsPayment && given.values.received.trim() !== "")
    if (receivedOf(given.values) === null) errors.payment = t.invalidAmount;
  for (const part of missingParts(given.required, given.proof)) errors[part] = t.missing[part];
  return errors;
}

/** The errors that concern each value. Another reason can require other parts of a proof. */
const CONCERNS: Record<keyof Values, readonly (keyof Errors)[]> = {
  code: ["code"],
  isPaid: ["payment"],
  method: ["payment"],
  received: ["payment"],
  reference: [],
  photos: ["PHOTO"],
  receivedBy: ["NAME"],
  note: ["NOTE"],
  reason: ["reason", "PHOTO", "NAME", "NOTE", "POSITION"],
};

/** Returns the errors that do not concern the changed values. */
export function without(errors: Errors, changed: Partial<Values>): Errors {
  const solved = (Object.keys(changed) as (keyof Values)[]).flatMap((name) => CONCERNS[name]);
  return Object.fromEntries(
    Object.entries(errors).filter(([name]) => !solved.includes(name as keyof Errors)),
  );
}
