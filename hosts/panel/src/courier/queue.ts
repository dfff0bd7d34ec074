/**
 * The queue of steps. Every step is stored before it is sent, with its idempotency key and its time. Steps are sent one at a time in the
 * order in which they were taken, with the same key in every attempt, so that a lost response or a reload cannot repeat a step.
 */

import { api, RejectedError } from "./api";
import { confirmed, failed, steps, waiting } from "./state";
import { readPhoto, removeStep, writePhoto, writeSteps, type QueuedStep } from "./storage";
import type { StepBody } from "./wire";
import { apply, isOfDelivery, type Proof, type Step } from "./steps";

/** The name of the stored trip. */
export const TRIP = "trip";

/** The result of a step, for the form that waits for it. */
export type Outcome = { accepted: true } | { accepted: false; detail: string; code: string };

const listeners = new Map<string, (outcome: Outcome) => void>();

/** Stores a step. The promise of the outcome resolves when the service has decided, possibly much later. */
export async function enqueue(
  step: Step,
  label: string,
): Promise<{ key: string; outcome: Promise<Outcome> }> {
  const key = crypto.randomUUID();
  const id = (steps.value.at(-1)?.id ?? 0) + 1;
  const queued: QueuedStep = { ...step, key, id, state: "waiting", detail: "", label };
  steps.value = [...steps.value, queued];
  const outcome = new Promise<Outcome>((resolve) => listeners.set(key, resolve));
  try {
    await writeSteps([queued]);
  } catch (error) {
    // A step that is not stored could be lost or repeated: it is not taken.
    forget(queued);
    throw error;
  }
  return { key, outcome };
}

function forget(step: QueuedStep): void {
  steps.value = steps.value.filter((one) => one.key !== step.key);
}

/** Sends the next step. Returns false if none is waiting; throws `UnavailableError` or `SignedOutError`. */
export async function sendNext(): Promise<boolean> {
  const step = waiting.value[0];
  if (step === undefined) return false;
  try {
    await api.step(step.orderId, step.kind, await body(step), step.key);
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    await reject(step, error);
    return true;
  }
  const next = apply(confirmed.value, step);
  await removeStep(step, TRIP, next);
  confirmed.value = next;
  forget(step);
  settle(step.key, { accepted: true });
  return true;
}

/** Marks a step as rejected and drops those of the same order behind it: they follow from a state that was not reached. */
async function reject(step: QueuedStep, error: RejectedError): Promise<void> {
  const { detail, code, errors } = error.problem;
  const details = errors.map((one) => one.detail);
  const text = [detail, ...details.filter((one) => !detail.includes(one))].join(" ");
  const changed = steps.value.map((one): QueuedStep => {
    if (one.key === step.key) return { ...one, state: "rejected", detail: text };
    return one.state === "waiting" && one.orderId === step.orderId && one.id > step.id
      ? { ...one, state: "dropped" }
      : one;
  });
  await writeSteps(changed.filter((one) => one.state !== "waiting"));
  steps.value = changed;
  settle(step.key, { accepted: false, detail: text, code });
}

function settle(key: string, outcome: Outcome): void {
  listeners.get(key)?.(outcome);
  listeners.delete(key);
}

/** Removes the messages about rejected and dropped steps, with their photos. */
export async function dismissFailed(): Promise<void> {
  for (const step of failed.value) {
    await removeStep(step);
    forget(step);
  }
}

/** Removes one rejected step, but not its photos: its form is still open. */
export async function retract(key: string): Promise<void> {
  const step = steps.value.find((one) => one.key === key);
  if (step === undefined) return;
  await removeStep({ ...step, proof: null });
  forget(step);
}

async function body(step: QueuedStep): Promise<StepBody> {
  const proof = step.proof === null ? undefined : await proofBody(step.orderId, step.proof);
  return {
    at: step.at,
    ...(step.deliveryId !== null && isOfDelivery(step.kind) ? { deliveryId: step.deliveryId } : {}),
    ...(step.code === null ? {} : { code: step.code }),
    ...(step.reason === null ? {} : { reason: step.reason }),
    ...(proof === undefined ? {} : { proof }),
    ...(step.payment ? { payment: step.payment } : {}),
  };
}

/** Uploads the photos of a proof that are not uploaded yet. */
async function proofBody(orderId: number, proof: Proof): Promise<StepBody["proof"]> {
  const photoIds: number[] = [];
  for (const key of proof.photos) {
    const photo = await readPhoto(key);
    if (photo === undefined) continue;
    const photoId = photo.photoId ?? (await api.photo(orderId, photo.blob, photo.key)).photoId;
    if (photo.photoId === null) await writePhoto({ ...photo, photoId });
    photoIds.push(photoId);
  }
  const { receivedBy, note, latitude, longitude } = proof;
  return { photoIds, receivedBy, note, latitude, longitude };
}
