/**
 * Server-sent events over fetch: the browser's own EventSource sends no headers, and a key has no place in an address.
 */

import { signal } from "@preact/signals";
import { headers, online, whenOnline } from "./http";

export interface StreamedEvent {
  id: string;
  type: string;
  data: string;
}

/** Whether changes arrive by themselves now. */
export const streaming = signal(false);

/** Splits a stream of text into events, as the HTML standard specifies. */
export function parser(emit: (event: StreamedEvent) => void, reached: (id: string) => void): (text: string) => void {
  let rest = "";
  let [id, type, data]: [string, string, string[]] = ["", "message", []];
  return (text) => {
    rest += text;
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) emit({ id, type, data: data.join("\n") });
        if (id !== "") reached(id);
        [type, data] = ["message", []];
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "id") id = value;
      else if (name === "event") type = value;
      else if (name === "data") data.push(value);
    }
  };
}

const QUIET_MS = 60_000;

/** Follows the store's events until `signal` is aborted; `gap` is called when some may have been missed. */
export async function follow(
  emit: (event: StreamedEvent) => void,
  gap: () => void,
  signal: AbortSignal,
): Promise<void> {
  let last = "";
  let failures = 0;
  while (!signal.aborted) {
    try {
      await listen(last, emit, (id) => {
        last = id;
        failures = 0;
      }, signal);
    } catch (error) {
      // A cursor that the server no longer accepts: start again, and reload what was missed.
      if (error instanceof NoStream) last = "";
    }
    streaming.value = false;
    if (signal.aborted) break;
    failures = Math.min(failures + 1, 6);
    await (online.value ? sleep(250 * 2 ** failures, signal) : whenOnline(signal)).catch(() => {});
    if (last === "" && !signal.aborted) gap();
  }
  streaming.value = false;
}

class NoStream extends Error {}

async function listen(
  last: string,
  emit: (event: StreamedEvent) => void,
  reached: (id: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), QUIET_MS);
  try {
    const response = await fetch("/delivery/events/stream", {
      headers: headers({ accept: "text/event-stream", ...(last === "" ? {} : { "last-event-id": last }) }),
      signal: AbortSignal.any([signal, silence.signal]),
      credentials: "omit",
      cache: "no-store",
    });
    const kind = response.headers.get("content-type") ?? "";
    if (!response.ok || response.body === null || !kind.startsWith("text/event-stream")) throw new NoStream();
    streaming.value = true;
    online.value = true;
    const feed = parser(emit, reached);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), QUIET_MS);
      feed(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
