/** Short messages, seen and read out. */

import { signal } from "@preact/signals";

type Kind = "good" | "bad" | "quiet";
interface Message {
  id: number;
  text: string;
  kind: Kind;
}

const messages = signal<Message[]>([]);
const SHOWN_MS = 6_000;
let last = 0;

/** Says something; `quiet` is for screen readers alone. */
export function say(text: string, kind: Kind = "good"): void {
  last += 1;
  const id = last;
  messages.value = [...messages.value.slice(-3), { id, text, kind }];
  setTimeout(() => (messages.value = messages.value.filter((message) => message.id !== id)), SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {messages.value.map((message) => (
        <p key={message.id} class={message.kind === "quiet" ? "unseen" : `toast ${message.kind}`}>
          {message.text}
        </p>
      ))}
    </div>
  );
}
