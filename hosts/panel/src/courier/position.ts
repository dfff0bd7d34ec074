/** The phone's position, reported while the page is open and the courier is on duty. */

import { computed, effect, signal } from "@preact/signals";
import { UnavailableError, RejectedError, api } from "./api";
import { me, now, onDuty, phase } from "./state";

interface Fix {
  latitude: number;
  longitude: number;
  accuracy: number;
  at: string;
}

/** A courier whose stored position is older is shown the way to report it in the background. */
const STALE_MS = 60_000;
/** A page that was just opened has not had the time to report. */
const GRACE_MS = 8_000;
const MAX_ACCURACY_M = 10_000;

/** The newest position of the phone. An older one is never sent after it. */
export const fix = signal<Fix | null>(null);
export const isDenied = signal(false);
const openedAt = Date.now();
const storedAt = signal(0);

let watch: number | null = null;
let nextAt = 0;
let sent = "";
let isSending = false;

/** The time of the last stored position, of this page or of another app. */
const reportedAt = computed(() =>
  Math.max(storedAt.value, Date.parse(me.value?.positionAt ?? "") || 0),
);

export const isStale = computed(
  () => onDuty.value && now.value - openedAt > GRACE_MS && now.value - reportedAt.value > STALE_MS,
);

/** Minutes since the last stored position; null if there is none. */
export const staleMinutes = computed(() =>
  reportedAt.value === 0 ? null : Math.floor((now.value - reportedAt.value) / 60_000),
);

/** Follows the duty: watches the position and sends it. */
export function reportPositions(): void {
  effect(() => {
    const isWanted = onDuty.value && phase.value === "ready";
    if (isWanted && watch === null && "geolocation" in navigator) {
      watch = navigator.geolocation.watchPosition(onFix, onError, {
        enableHighAccuracy: true,
        maximumAge: 5_000,
      });
    } else if (!isWanted && watch !== null) {
      navigator.geolocation.clearWatch(watch);
      [watch, fix.value] = [null, null];
    }
  });
  // A parked courier's phone reports no new position, but the last one is still right.
  setInterval(() => void flush(), 2_000);
}

function onFix(position: GeolocationPosition): void {
  isDenied.value = false;
  const { latitude, longitude, accuracy } = position.coords;
  fix.value = {
    latitude,
    longitude,
    accuracy: Math.min(accuracy, MAX_ACCURACY_M),
    at: new Date(position.timestamp).toISOString(),
  };
  void flush();
}

function onError(error: GeolocationPositionError): void {
  isDenied.value = error.code === error.PERMISSION_DENIED;
}

async function flush(): Promise<void> {
  const newest = fix.value;
  if (newest === null || newest.at === sent || isSending || Date.now() < nextAt) return;
  isSending = true;
  try {
    const result = await api.position(newest);
    sent = newest.at;
    if (result.stored) storedAt.value = Date.parse(newest.at);
    nextAt = Date.now() + result.nextInSeconds * 1000;
  } catch (error) {
    if (error instanceof RejectedError) sent = newest.at;
    nextAt = Date.now() + (error instanceof UnavailableError ? (error.delay ?? 3_000) : 20_000);
  } finally {
    isSending = false;
  }
}
