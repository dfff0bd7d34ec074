/** Keeps the screen on while the courier is on duty: a locked phone stops reporting positions. */

import { effect } from "@preact/signals";
import { onDuty, phase } from "./state";

let lock: WakeLockSentinel | null = null;
let isRequesting = false;

async function update(): Promise<void> {
  const isWanted = onDuty.peek() && phase.peek() === "ready" && !document.hidden;
  if (!isWanted) {
    await lock?.release();
    lock = null;
    return;
  }
  if (isRequesting || (lock !== null && !lock.released) || !("wakeLock" in navigator)) return;
  isRequesting = true;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    // The browser denies it, for example if the battery is low.
  } finally {
    isRequesting = false;
  }
}

export function keepScreenOn(): void {
  effect(() => {
    void [onDuty.value, phase.value];
    void update();
  });
  // The browser releases the lock when the page is hidden.
  document.addEventListener("visibilitychange", () => void update());
}
