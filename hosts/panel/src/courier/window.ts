/** Only the newest window of the app sends steps: two windows would not see each other's queue. */

import { phase } from "./state";

export function takeOver(): void {
  if (!("locks" in navigator)) return;
  navigator.locks
    .request("despacho-courier", { steal: true }, () => new Promise(() => {}))
    .catch(() => (phase.value = "other"));
}
