/** Unsent form input, stored in this tab: it survives a reload, a lost connection and an expired session. */

import { effect, signal, type Signal } from "@preact/signals";

const PREFIX = "despacho.draft.";
const resets: (() => void)[] = [];
const keys = new Set<string>();

/** Clears every draft: after a logout, the next user of this device must not see them. */
export function clearDrafts(): void {
  for (const reset of resets) reset();
  // The drafts of pages that were not loaded since the last reload.
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && !keys.has(key)) sessionStorage.removeItem(key);
}

/** Creates a signal whose value is stored in this tab's session storage. It must not contain passwords. */
export function createDraft<T>(name: string, empty: () => T): Signal<T> {
  const key = PREFIX + name;
  keys.add(key);
  let initial: T;
  try {
    initial = (JSON.parse(sessionStorage.getItem(key) ?? "null") as T | null) ?? empty();
  } catch {
    initial = empty();
  }
  const draft = signal<T>(initial);
  resets.push(() => (draft.value = empty()));
  effect(() => {
    try {
      sessionStorage.setItem(key, JSON.stringify(draft.value));
    } catch {
      // The form still works if session storage is full or forbidden.
    }
  });
  return draft;
}
