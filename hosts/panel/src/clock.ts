/** The current time, shared by all relative times on a page. */

import { signal } from "@preact/signals";

export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 5_000);
