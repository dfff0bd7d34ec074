/** The time for ages on screen, told to all of them at once. */

import { signal } from "@preact/signals";

export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 5_000);
