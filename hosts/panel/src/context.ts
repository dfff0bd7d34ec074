/** Values of the application that shared components display. The panel and the operator's console set them. */

import { signal } from "@preact/signals";

/** The time zone of times without a zone of their own. */
export const zone = signal(new Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The number in the page's title. */
export const alertCount = signal(0);
