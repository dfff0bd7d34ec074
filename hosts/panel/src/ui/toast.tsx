/** Short messages, also announced by screen readers. */

import { signal } from "@preact/signals";
import { texts } from "../i18n";

type Kind = "good" | "bad" | "quiet";
interface Message {
  id: number;
  text: string;
  kind: Kind;
}

const messages = signal<Message[]>([]);
const SHOWN_MS = 6_000;
let last = 0;

/** Shows a message; `quiet` is for screen readers only. */
export function notify(text: string, kind: Kind = "good"): void {
  last += 1;
  const id = last;
  // A repeated message replaces the previous one.
  const others = messages.value.filter((message) => message.text !== text);
  messages.value = [...others.slice(-3), { id, text, kind }];
  setTimeout(() => remove(id), SHOWN_MS);
}

function remove(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id);
}

/** Shows the message of an error. */
export function notifyError(error: unknown): void {
  notify(
    error instanceof Error && error.message !== "" ? error.message : texts.value.net.failed,
    "bad",
  );
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {messages.value.map((message) => (
        <p key={message.id} class={message.kind === "quiet" ? "unseen" : `toast ${message.kind}`}>
          {message.text}
          {message.kind !== "quiet" && (
            <button
              type="button"
              class="toast-close"
              aria-label={texts.value.common.close}
              onClick={() => remove(message.id)}
            >
              ×
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
