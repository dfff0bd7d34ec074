/** Server-sent events over fetch: EventSource cannot send headers, and the API key must not be in a URL. */

import { signal } from "@preact/signals";
import { headers, online, whenOnline } from "./http";

export interface StreamedEvent {
  id: string;
  type: string;
  data: string;
}

/** Whether the event stream is connected. */
export const streaming = signal(false);

/** Returns a parser of the event stream format in the HTML standard. */
export function createParser(
  emit: (event: StreamedEvent) => void,
  onId: (id: string) => void,
): (text: string) => void {
  let rest = "";
  let [id, type, data]: [string, string, string[]] = ["", "message", []];
  return (text) => {
    rest += text;
    // The line feed of a carriage return at the end can be in the next part.
    const end = rest.endsWith("\r") ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "") + rest.slice(end);
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) emit({ id, type, data: data.join("\n") });
        if (id !== "") onId(id);
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

const IDLE_TIMEOUT_MS = 60_000;

/** Follows the store's events until `signal` is aborted; calls `onGap` when a stream without a cursor is open, because events may have been missed before. */
export async function followEvents(
  emit: (event: StreamedEvent) => void,
  onGap: () => void,
  signal: AbortSignal,
): Promise<void> {
  let lastId = "";
  let failures = 0;
  while (!signal.aborted) {
    try {
      await readStream(
        lastId,
        emit,
        onGap,
        (id) => {
          lastId = id;
          failures = 0;
        },
        signal,
      );
    } catch (error) {
      // The server may reject an old cursor: restart without one and report the gap.
      if (error instanceof StreamError) lastId = "";
    }
    streaming.value = false;
    if (signal.aborted) break;
    failures = Math.min(failures + 1, 6);
    await (online.value ? sleep(250 * 2 ** failures, signal) : whenOnline(signal)).catch(() => {});
  }
  streaming.value = false;
}

class StreamError extends Error {}

async function readStream(
  lastId: string,
  emit: (event: StreamedEvent) => void,
  onGap: () => void,
  onId: (id: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const idle = new AbortController();
  let timer = setTimeout(() => idle.abort(), IDLE_TIMEOUT_MS);
  try {
    const response = await fetch("/delivery/events/stream", {
      headers: headers({
        accept: "text/event-stream",
        ...(lastId === "" ? {} : { "last-event-id": lastId }),
      }),
      signal: AbortSignal.any([signal, idle.signal]),
      credentials: "omit",
      cache: "no-store",
    });
    const kind = response.headers.get("content-type") ?? "";
    if (!response.ok || response.body === null || !kind.startsWith("text/event-stream"))
      throw new StreamError();
    streaming.value = true;
    online.value = true;
    if (lastId === "") onGap();
    const feed = createParser(emit, onId);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => idle.abort(), IDLE_TIMEOUT_MS);
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
