/** A modal dialog. The browser keeps the focus inside. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  title: string;
  close: () => void;
  children: ComponentChildren;
  /** Covers the whole window. */
  full?: boolean;
}

export function Dialog(props: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A layout effect, because the cleanup of a passive effect runs after the dialog has left the document and lost the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const previous = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // The browser does not restore the focus if the dialog was removed from the document.
      queueMicrotask(() => {
        if (
          document.activeElement === document.body &&
          previous instanceof HTMLElement &&
          previous.isConnected
        )
          previous.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={props.full === true ? "dialog full" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      onClick={(event) => {
        if (event.target === ref.current) props.close();
      }}
    >
      <div class="dialog-body">
        <h2 id={titleId}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}
