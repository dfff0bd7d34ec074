/** Unsent input: it survives a lost network, a reload and a session that ends. */

import { effect, signal, type Signal } from "@preact/signals";

const forgetting: (() => void)[] = [];

/** Empties every draft, so that a logout leaves nothing to the next person at this screen. */
export function forget(): void {
  for (const one of forgetting) one();
}

/** A signal whose value stays in this tab under a name. Forms keep passwords out of it themselves. */
export function kept<T>(name: string, empty: () => T): Signal<T> {
  const slot = `despacho.draft.${name}`;
  let first: T;
  try {
    first = (JSON.parse(sessionStorage.getItem(slot) ?? "null") as T | null) ?? empty();
  } catch {
    first = empty();
  }
  const draft = signal<T>(first);
  forgetting.push(() => (draft.value = empty()));
  effect(() => {
    try {
      sessionStorage.setItem(slot, JSON.stringify(draft.value));
    } catch {
      // A full or forbidden store keeps nothing; the form still works.
    }
  });
  return draft;
}
