/** The button of a list that marks an order as ready, and for a few seconds takes that back. */

import type { Order } from "../api/wire";
import { orderListTexts } from "../i18n/orders";
import { markReady, readiness, undoReady } from "../ready";
import { notify } from "./toast";

export function ReadyButton(props: { of: Order }) {
  const t = orderListTexts.value;
  const { id, code } = props.of;
  const state = readiness(props.of);
  if (state === null) return null;
  const isWaiting = state === "waiting";
  const click = (event: MouseEvent) => {
    // The second click of a double click is not an undo.
    if (event.detail > 1) return;
    if (isWaiting) undoReady(id);
    else markReady(id);
    notify(isWaiting ? t.stillPreparing(code) : t.readySoon(code), "quiet");
  };
  return (
    <button
      type="button"
      class={`button small ready-button${isWaiting ? " undo" : ""}`}
      aria-label={isWaiting ? t.undoReady(code) : t.markReady(code)}
      onClick={click}
    >
      {isWaiting ? t.undo : t.ready}
    </button>
  );
}
