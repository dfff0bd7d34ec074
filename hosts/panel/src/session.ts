/** Who is logged in. The key is kept as long as the tab: never in localStorage, never in an address. */

import { computed, effect, signal } from "@preact/signals";
import { sessions, stores } from "./api/client";
import { ApiError, credentials } from "./api/http";
import type { Store } from "./api/wire";
import { forget } from "./draft";
import { zoneOf } from "./format";

interface Session {
  key: string;
  keyId: string;
  storeId: string;
  expiresAt: string;
}

const KEPT = "despacho.session";

export const session = signal<Session | null>(restore());
/** Whether the last session ended by itself. */
export const ended = signal(false);
export const store = signal<Store | null>(null);
export const branches = signal<Store[]>([]);
export const zone = computed(() => zoneOf(store.value?.address.state));
export const isMatrix = computed(() => store.value !== null && store.value.matrix === null);
/** Every store that the session may act for. */
export const family = computed(() => (store.value === null ? [] : [store.value, ...branches.value]));

function restore(): Session | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null") as Session | null;
    return kept !== null && Date.parse(kept.expiresAt) > Date.now() ? kept : null;
  } catch {
    return null;
  }
}

effect(() => {
  credentials.key = session.value?.key ?? null;
  if (session.value === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, JSON.stringify(session.value));
});

/** Whose session ended by itself. */
let left: string | null = null;

credentials.rejected = () => {
  left = session.value?.storeId ?? left;
  ended.value = true;
  session.value = null;
  store.value = null;
  branches.value = [];
};

export async function logIn(email: string, password: string): Promise<void> {
  const issued = await sessions.create(email, password);
  // Input is kept for the person who typed it, and for no other.
  if (left !== null && left !== issued.storeId) forget();
  ended.value = false;
  session.value = { key: issued.value, keyId: issued.id, storeId: issued.storeId, expiresAt: issued.expiresAt };
  await identify();
}

/** Ends the session in this tab at once, and on the server, so that no other tab and no copy of the key works any more. Returns whether the server confirmed it. */
export function logOut(): Promise<boolean> {
  const own = session.value;
  forget();
  session.value = null;
  store.value = null;
  branches.value = [];
  ended.value = false;
  return own === null ? Promise.resolve(true) : sessions.end(own.keyId, own.key);
}

let identifying: Promise<void> | null = null;

/** Reads the store of the session, and its branches, if any. */
export function identify(): Promise<void> {
  identifying ??= whoAmI().finally(() => (identifying = null));
  return identifying;
}

async function whoAmI(): Promise<void> {
  const own = session.value;
  if (own === null) return;
  const found = await stores.get(own.storeId);
  if (session.value !== own) return;
  store.value = found;
  await loadBranches();
}

export async function loadBranches(): Promise<void> {
  if (!isMatrix.value) return;
  try {
    const all: Store[] = [];
    let cursor: string | undefined;
    do {
      const page = await stores.list(cursor);
      all.push(...page.stores);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && all.length < 1000);
    branches.value = all.filter((branch) => branch.id !== store.value?.id);
  } catch (error) {
    // A server without this list still has all else.
    if (!(error instanceof ApiError)) throw error;
  }
}

export function storeName(id: number): string {
  return family.value.find((one) => one.id === id)?.name ?? `#${id}`;
}
