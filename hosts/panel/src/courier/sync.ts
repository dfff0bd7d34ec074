/** The connection to the service: sends the queue, then reads the trip. One request runs at a time, so that a response cannot overtake a step. */

import { UnavailableError, SignedOutError, api } from "./api";
import { earned } from "./earnings";
import { TRIP, sendNext } from "./queue";
import { confirmed, connected, me, now, onDuty, phase, steps, trip } from "./state";
import { clear, readSteps, readValue, removeUnusedPhotos, writeValue } from "./storage";
import type { CourierSelf, Trip } from "./wire";

/** On duty the trip is read this often: the service does not push changes of a trip. */
const POLL_MS = 1_500;
const IDLE_POLL_MS = 10_000;
const HIDDEN_POLL_MS = 15_000;
/** The courier's own data changes seldom, except by other apps' positions. */
const SELF_MS = 10_000;
const MAX_BACKOFF_MS = 15_000;
const ME = "me";

let running: Promise<void> | null = null;
let isRequested = false;
/** The number of sign-ins on this page. */
let session = 0;
let failures = 0;
let selfReadAt = 0;
let timer = 0;
let storedTrip = "";
/** The day, by the phone's clock, and the orders of the trip when the earnings were read. */
let earnedFor = "";

/** Reads the stored data. Returns whether the browser stores data. */
export async function restore(): Promise<boolean> {
  try {
    me.value = (await readValue<CourierSelf>(ME)) ?? null;
    confirmed.value = (await readValue<Trip | null>(TRIP)) ?? null;
    steps.value = await readSteps();
    await removeUnusedPhotos(steps.value);
  } catch {
    phase.value = "broken";
    return false;
  }
  return true;
}

/** Continues the session that the stored data belongs to. */
export async function start(): Promise<void> {
  if (me.value !== null) phase.value = "ready";
  addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);
  setInterval(() => (now.value = Date.now()), 5_000);
  // A cookie may exist although the stored data was cleared.
  await sync();
  if (me.value === null) phase.value = "signedOut";
}

function wake(): void {
  failures = 0;
  if (!document.hidden) void sync();
}

/** Exchanges a sign-in code for a session. Data of another courier is removed, because only its owner may send it. */
export async function signIn(code: string): Promise<void> {
  const courier = await api.signIn(code);
  session += 1;
  if (me.value !== null && me.value.id !== courier.id) await reset();
  await setSelf(courier);
  phase.value = "ready";
}

/** Ends the session on the service, then removes all data from this phone. Without a network the cookie would remain, so it throws. */
export async function signOut(): Promise<void> {
  await api.signOut();
  clearTimeout(timer);
  phase.value = "signedOut";
  await reset();
}

async function reset(): Promise<void> {
  await clear();
  [me.value, confirmed.value, steps.value, storedTrip] = [null, null, [], ""];
  earned.value = null;
}

export async function setSelf(courier: CourierSelf): Promise<void> {
  me.value = courier;
  selfReadAt = Date.now();
  await writeValue(ME, courier);
}

/** Sends what is waiting and reads the trip. Calls during a run lead to one more run. */
export function sync(): Promise<void> {
  isRequested = true;
  running ??= run().finally(() => (running = null));
  return running;
}

async function run(): Promise<void> {
  clearTimeout(timer);
  let delay: number | null = null;
  const own = session;
  try {
    while (isRequested) {
      isRequested = false;
      while (phase.value === "ready" && (await sendNext())) storedTrip = "";
      if (phase.value !== "other") await read();
    }
    [connected.value, failures] = [true, 0];
  } catch (error) {
    // The courier may have signed in again since the request.
    if (error instanceof SignedOutError && own !== session) delay = 0;
    else if (error instanceof SignedOutError) phase.value = "signedOut";
    else if (error instanceof UnavailableError)
      [connected.value, delay] = [error.responded, error.delay];
    else throw error;
    failures += 1;
  } finally {
    schedule(delay);
  }
}

async function read(): Promise<void> {
  if (Date.now() - selfReadAt > SELF_MS) {
    const courier = await api.me();
    if (me.value !== null && me.value.id !== courier.id) await reset();
    await setSelf(courier);
    if (phase.value !== "other") phase.value = "ready";
  }
  const found = (await api.trip()).trip;
  // Estimates change with every response. They are not worth writing.
  const text = JSON.stringify(found, (name, value: unknown) =>
    name === "eta" || name === "freeAt" || name === "minutes" ? undefined : value,
  );
  if (text !== storedTrip) await writeValue(TRIP, found);
  storedTrip = text;
  confirmed.value = found;
  // The end of an order and a new day change the earnings.
  const orders = (found?.orders ?? []).map((order) => order.id);
  const current = [new Date(now.value).toDateString(), ...orders].join(" ");
  if (earned.value === null || current !== earnedFor) {
    earned.value = await api.earnings().catch(() => null);
    earnedFor = current;
  }
}

function schedule(requested: number | null): void {
  if (phase.value !== "ready") return;
  const backoff = Math.min(1_000 * 2 ** Math.max(0, failures - 1), MAX_BACKOFF_MS);
  const poll = document.hidden
    ? HIDDEN_POLL_MS
    : onDuty.value || trip.value !== null
      ? POLL_MS
      : IDLE_POLL_MS;
  timer = window.setTimeout(() => void sync(), requested ?? (failures > 0 ? backoff : poll));
}
