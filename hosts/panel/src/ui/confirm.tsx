/** A dialog that confirms an action, runs it, and shows the API's errors at its fields. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { texts } from "../i18n";
import { Dialog } from "./dialog";
import { FieldErrors, ErrorBox, fieldErrorsOf } from "./field";

interface Props<T> {
  title: string;
  /** What will happen. */
  text?: ComponentChildren;
  /** The button that does it; without one nothing can be done but close. */
  yes: string | null;
  /** The button that leaves all as it is. */
  no?: string;
  danger?: boolean;
  act: () => Promise<T>;
  done: (result: T) => void;
  close: () => void;
  /** The fields of the request. */
  children?: ComponentChildren;
}

export function Confirm<T>(props: Props<T>) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // A second press does nothing: the first is on its way.
    if (busy || props.yes === null) return;
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
            {props.no ?? texts.value.common.close}
          </button>
          {props.yes !== null && (
            <button type="submit" class={`button ${props.danger === true ? "danger" : "primary"}`} aria-disabled={busy}>
              {props.yes}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
