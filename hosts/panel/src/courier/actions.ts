/** Takes a step: stores it, shows its effect at once and sends it. */

import { effect } from "@preact/signals";
import { enqueue, type Outcome } from "./queue";
import { connected, type NextStop } from "./state";
import type { Step, StepKind } from "./steps";
import { sync } from "./sync";

/** A form stays open this long for the response of the service. Later, a rejection is shown in a banner. */
const RESPONSE_MS = 4_000;

/** Takes a step and returns its key and its outcome, which is null if the service has not decided in time. */
export async function take(
  at: NextStop,
  kind: StepKind,
  label: string,
  given: Partial<Step> = {},
): Promise<{ key: string; outcome: Outcome | null }> {
  const step: Step = {
    kind,
    orderId: at.order.id,
    deliveryId: at.delivery?.id ?? null,
    at: new Date().toISOString(),
    code: null,
    reason: null,
    proof: null,
    ...given,
  };
  const { key, outcome } = await enqueue(step, label);
  void sync();
  const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), RESPONSE_MS));
  return { key, outcome: await Promise.race([outcome, timeout, whenOffline()]) };
}

/** Resolves when the service cannot be reached. */
function whenOffline(): Promise<null> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!connected.value || !navigator.onLine) resolve(null);
    });
    setTimeout(stop, RESPONSE_MS);
    addEventListener("offline", () => resolve(null), { once: true });
  });
}
