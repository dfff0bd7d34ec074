/** Drafts of forms about one object: they survive a reload, a lost network and an ended session. */

import { newIdempotencyKey } from "../api/http";
import { createDraft } from "../draft";

export interface FormDraft<T> {
  value: T;
  set: (part: Partial<T>) => void;
  /** Returns an idempotency key, which is the same for every attempt to send the same values. */
  key: () => string;
  clear: () => void;
}

/** Creates the draft of a form. Opened for another object, the form is empty. Values must not contain passwords. */
export function formDraft<T extends object>(
  name: string,
  empty: () => T,
): (of: string | number) => FormDraft<T> {
  const fresh = (of: string, value = empty()) => ({
    of,
    value,
    idempotencyKey: newIdempotencyKey(),
  });
  const stored = createDraft(`console-${name}`, () => fresh(""));
  return (object) => {
    const of = String(object);
    const current = () => (stored.value.of === of ? stored.value : null);
    return {
      value: current()?.value ?? empty(),
      set: (part) => (stored.value = fresh(of, { ...(current()?.value ?? empty()), ...part })),
      key: () => {
        stored.value = current() ?? fresh(of);
        return stored.value.idempotencyKey;
      },
      clear: () => (stored.value = fresh("")),
    };
  };
}
