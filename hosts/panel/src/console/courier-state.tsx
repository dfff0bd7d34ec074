/** The state of a courier for dispatch. */

import type { CourierRecord } from "../api/wire";
import { mapTexts, type CourierState } from "./texts/map";

/** Without a newer position, dispatch may release the courier's orders: the default of `dispatch.silence-timeout-minutes`. */
const SILENT_AFTER_MS = 10 * 60_000;

export function stateOf(courier: CourierRecord, now: number): CourierState {
  if (courier.removedAt !== null) return "removed";
  if (courier.suspendedAt !== null && courier.orderId === null) return "suspended";
  const isWorking = courier.available || courier.orderId !== null;
  if (!isWorking) return "off";
  if (courier.positionAt === null || now - Date.parse(courier.positionAt) > SILENT_AFTER_MS) return "silent";
  return courier.orderId !== null ? "trip" : "available";
}

const TONES = { available: "good", trip: "move", silent: "warn", off: "calm", suspended: "bad", removed: "bad" } satisfies Record<CourierState, string>;

export function CourierBadge(props: { state: CourierState }) {
  return <span class={`badge ${TONES[props.state]}`}>{mapTexts.value.states[props.state]}</span>;
}
