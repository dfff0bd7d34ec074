/** A dialog that confirms and runs an action, and shows the API's errors next to its fields. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { texts } from "../i18n";
import { Dialog } from "./dialog";
import { FieldErrors, ErrorBox, fieldErrorsOf } from "./field";

interface Props<T> {
  title: string;
  text?: ComponentChildren;
  /** The label of the submit button; without it, the dialog can only be closed. */
  submitLabel: string | null;
  /** The label of the close button. */
  closeLabel?: string;
  danger?: boolean;
  act: () => Promise<T>;
  done: (result: T) => void;
  close: () => void;
  children?: ComponentChildren;
}

export function Confirm<T>(props: Props<T>) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (busy || props.submitLabel === null) return;
    setBusy(true);
    setError(null);
    props.act().then(props.done, setError).finally(() => setBusy(false));
  };
  return (
    <Dialog title={props.title} close={props.close}>
      <form onSubmit={submit} noValidate>
        {props.text !== undefined && <div>{props.text}</div>}
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          {props.children}
        </FieldErrors.Provider>
        <div class="row end">
          <button type="button" class="button" onClick={props.close}>
            {props.closeLabel ?? texts.value.common.close}
          </button>
          {props.submitLabel !== null && (
            <button type="submit" class={`button ${props.danger === true ? "danger" : "primary"}`} aria-disabled={busy}>
              {props.submitLabel}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
