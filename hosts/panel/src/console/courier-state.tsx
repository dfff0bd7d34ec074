/** The state of a courier, as dispatch and health count it. */

import type { CourierRecord } from "../api/wire";
import { now } from "../clock";
import { age } from "../format";
import { mapTexts, type CourierState } from "./texts/map";

const STATES: Record<string, CourierState> = {
  AVAILABLE: "available",
  ON_TRIP: "trip",
  STUCK: "stuck",
  UNRESPONSIVE: "silent",
  OFF: "off",
  SUSPENDED: "suspended",
  REMOVED: "removed",
};

export function stateOf(courier: CourierRecord): CourierState {
  return STATES[courier.state] ?? "off";
}

const TONES = {
  available: "good",
  trip: "move",
  stuck: "bad",
  silent: "warn",
  off: "calm",
  suspended: "bad",
  removed: "bad",
} satisfies Record<CourierState, string>;

export function CourierBadge(props: { state: CourierState }) {
  return <span class={`badge ${TONES[props.state]}`}>{mapTexts.value.states[props.state]}</span>;
}

/** What was last heard of a courier: since when a stuck one waits, or the age of the position. */
export function lastHeard(courier: CourierRecord): string {
  const t = mapTexts.value;
  if (courier.stuckSince !== undefined) return t.stuckSince(age(courier.stuckSince, now.value));
  return courier.positionAt === null
    ? t.noPosition
    : t.position(age(courier.positionAt, now.value));
}
