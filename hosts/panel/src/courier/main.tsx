/** The courier's app: signs in with the code of a link, opens the stored trip and starts the synchronization. */

import { render } from "preact";
import { effect } from "@preact/signals";
import { reportPositions } from "./position";
import { checkPush } from "./push";
import { keepScreenOn } from "./screen";
import { phase } from "./state";
import { restore, signIn, start } from "./sync";
import { App, linkError } from "./ui/app";
import { codeIn, failureText } from "./ui/sign-in";
import { takeOver } from "./window";
import "../styles/colours.css";
import "./courier.css";

const code = codeIn(location.hash);
// The code must not remain in the URL or the history.
if (code !== null) history.replaceState(null, "", location.pathname);

async function open(): Promise<void> {
  if (!(await restore())) return;
  let failure: unknown = null;
  if (code !== null) await signIn(code).catch((error: unknown) => (failure = error));
  await start();
  // A link that is opened again does not end the session that it began.
  if (failure !== null && phase.value === "signedOut") linkError.value = failureText(failure);
}

/** A link that is opened in the app's own window changes only the fragment. */
addEventListener("hashchange", () => {
  if (codeIn(location.hash) !== null) location.reload();
});

/** Reloads the page after an update, but not while a form is open, which can open the camera and hide the page. */
function followUpdates(): void {
  const isUpdate = navigator.serviceWorker.controller !== null;
  let isPending = false;
  const reload = () => {
    if (isPending && document.hidden && document.querySelector("dialog[open]") === null)
      location.reload();
  };
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    isPending = isUpdate;
    reload();
  });
  document.addEventListener("visibilitychange", reload);
}

takeOver();
effect(() => {
  // Without a response the app works without notices.
  if (phase.value === "ready") void checkPush().catch(() => {});
});
keepScreenOn();
reportPositions();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
if ("serviceWorker" in navigator) followUpdates();
// The worker stores files for later: it must not compete with the first screen for a slow network. Without it, for example in the
// development server, the app needs a network.
void open()
  .then(() => navigator.serviceWorker?.register("/courier-sw.js", { scope: "/courier" }))
  .catch(() => {});
