/** A dialog that confirms and runs an action, and shows the API's errors next to its fields. */

import type { ComponentChildren } from "preact";
import { texts } from "../i18n";
import { Dialog } from "./dialog";
import { FieldErrors, ErrorBox, fieldErrorsOf } from "./field";
import { useSubmit } from "./submit";

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
  const { error, busy, submit } = useSubmit(props.act, props.done);
  return (
    <Dialog title={props.title} close={props.close}>
      <form
        onSubmit={(event) => (props.submitLabel === null ? event.preventDefault() : submit(event))}
        noValidate
      >
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
            <button
              type="submit"
              class={`button ${props.danger === true ? "danger" : "primary"}`}
              aria-disabled={busy}
            >
              {props.submitLabel}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
