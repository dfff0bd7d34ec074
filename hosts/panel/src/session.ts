/** The session of this tab. Its key is in sessionStorage only: never in localStorage or a URL. */

import { computed, effect, signal } from "@preact/signals";
import { sessions, stores } from "./api/client";
import { ApiError, credentials } from "./api/http";
import { readPages } from "./api/pages";
import type { Role, Store } from "./api/wire";
import { zone as shownZone } from "./context";
import { clearDrafts } from "./draft";
import { zoneOf } from "./format";

interface Session {
  key: string;
  keyId: string;
  storeId: string;
  expiresAt: string;
}

const STORAGE_KEY = "despacho.session";

export const session = signal<Session | null>(restore());
/** Whether the last session expired or was revoked. */
export const ended = signal(false);
export const store = signal<Store | null>(null);
export const branches = signal<Store[]>([]);
/** The role of the session's login, or null until it is loaded. The server enforces it; the panel hides what a clerk cannot open. */
const role = signal<Role | null>(null);
export const isOwner = computed(() => role.value === "OWNER");
export const zone = computed(() => zoneOf(store.value?.address));
effect(() => {
  shownZone.value = zone.value;
});
export const isParentStore = computed(() => store.value !== null && store.value.matrix === null);
/** The stores that the session can access: its own and its branches. */
export const accessibleStores = computed(() =>
  store.value === null ? [] : [store.value, ...branches.value],
);

/** Stores a store's usual preparation time, which was changed in the settings. */
export function setPreparation(id: number, preparationTime: number | null): void {
  const changed = (one: Store) => (one.id === id ? { ...one, preparationTime } : one);
  if (store.value !== null) store.value = changed(store.value);
  branches.value = branches.value.map(changed);
}

function restore(): Session | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as Session | null;
    return stored !== null && Date.parse(stored.expiresAt) > Date.now() ? stored : null;
  } catch {
    return null;
  }
}

effect(() => {
  credentials.key = session.value?.key ?? null;
  credentials.session += 1;
  if (session.value === null) sessionStorage.removeItem(STORAGE_KEY);
  else sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session.value));
});

/** The store whose session expired or was revoked. */
let endedStoreId: string | null = null;

credentials.onRejected = () => {
  endedStoreId = session.value?.storeId ?? endedStoreId;
  ended.value = true;
  session.value = null;
  store.value = null;
  branches.value = [];
  role.value = null;
};

export async function logIn(email: string, password: string): Promise<void> {
  const issued = await sessions.create(email, password);
  // Drafts must not be shown to another store.
  if (endedStoreId !== null && endedStoreId !== issued.storeId) clearDrafts();
  ended.value = false;
  session.value = {
    key: issued.value,
    keyId: issued.id,
    storeId: issued.storeId,
    expiresAt: issued.expiresAt,
  };
  await loadStore();
}

/** Ends the session in this tab and revokes its key on the server. Returns whether the server confirmed it. */
export function logOut(): Promise<boolean> {
  const own = session.value;
  clearDrafts();
  session.value = null;
  store.value = null;
  branches.value = [];
  role.value = null;
  ended.value = false;
  return own === null ? Promise.resolve(true) : sessions.end(own.keyId, own.key);
}

let loading: { own: Session; done: Promise<void> } | null = null;

/** Loads the store of the session and its branches. */
export function loadStore(): Promise<void> {
  const own = session.value;
  if (own === null) return Promise.resolve();
  // An earlier session may still be loading.
  if (loading?.own !== own) {
    const done = readStore(own).finally(() => {
      if (loading?.own === own) loading = null;
    });
    loading = { own, done };
  }
  return loading.done;
}

async function readStore(own: Session): Promise<void> {
  const [found, all] = await Promise.all([stores.get(Number(own.storeId)), sessions.list()]);
  if (session.value !== own) return;
  role.value = all.sessions.find((one) => one.current)?.role ?? "OWNER";
  store.value = found;
  await loadBranches();
}

/** Pages of 100 branches that are read. */
const MAX_BRANCH_PAGES = 10;

export async function loadBranches(): Promise<void> {
  if (!isParentStore.value) return;
  const own = session.value;
  try {
    const { pages } = await readPages(stores.list, MAX_BRANCH_PAGES);
    const all = pages.flatMap((page) => page.stores);
    if (session.value === own)
      branches.value = all.filter((branch) => branch.id !== store.value?.id);
  } catch (error) {
    // The panel works without the list of branches.
    if (!(error instanceof ApiError)) throw error;
  }
}

export function storeName(id: number): string {
  return accessibleStores.value.find((one) => one.id === id)?.name ?? `#${id}`;
}
