/** A dialog to confirm an action. The browser keeps the focus inside and returns it when the dialog closes. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  const name = useId();
  // Not as an effect after the picture: that one is cleared up when the dialog has gone already, and the focus with it.
  useLayoutEffect(() => {
    const dialog = box.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that was removed does not return the focus: return it to where it came from, if that still exists.
      queueMicrotask(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected) before.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={box}
      class="dialog"
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      onClick={(event) => {
        if (event.target === box.current) props.close();
      }}
    >
      <div class="dialog-body">
        <h2 id={name}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}
