/** Sends forms. */

import { useState } from "preact/hooks";

/** Sends a form once at a time, and keeps the error of the last attempt for its fields. */
export function useSubmit<T>(send: () => Promise<T>, done: (result: T) => void = () => undefined) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    send()
      .then(done, setError)
      .finally(() => setBusy(false));
  };
  return { error, busy, submit };
}
