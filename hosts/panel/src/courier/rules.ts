/** The proof that the store requires for a step. */

import { proofStep, type Proof, type StepKind } from "./steps";
import type { Order, ProofPart } from "./wire";

/** Returns the required parts of a proof; rules with a reason apply only to that reason. */
export function requiredParts(
  order: Order,
  kind: StepKind,
  reason: string | null,
): ReadonlySet<ProofPart> {
  const step = proofStep(kind);
  const rules = order.proofRules.filter(
    (rule) =>
      rule.step === step &&
      (rule.reason === null || rule.reason.toLowerCase() === reason?.toLowerCase()),
  );
  return new Set(rules.flatMap((rule) => rule.requires));
}

/** Returns the reasons that the store has rules for. */
export function ruledReasons(order: Order, kind: StepKind): string[] {
  const rules = order.proofRules.filter((rule) => rule.step === proofStep(kind));
  return [...new Set(rules.flatMap((rule) => rule.reason ?? []))];
}

/** Returns the required parts that a proof lacks. */
export function missingParts(required: ReadonlySet<ProofPart>, proof: Proof): ProofPart[] {
  const has: Record<ProofPart, boolean> = {
    PHOTO: proof.photos.length > 0,
    NAME: proof.receivedBy !== null,
    NOTE: proof.note !== null,
    POSITION: proof.latitude !== null,
  };
  return [...required].filter((part) => !has[part]);
}
