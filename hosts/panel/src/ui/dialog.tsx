/** A question before something that matters. The browser's own dialog keeps the focus inside and gives it back. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
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
