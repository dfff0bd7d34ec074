/** Settings: notices, background position, language, sign-out. */

import { useState } from "preact/hooks";
import { UnavailableError } from "../api";
import { disablePush, enablePush, push } from "../push";
import { me, waiting } from "../state";
import { signOut } from "../sync";
import { texts } from "../texts";
import { DutyButton } from "./duty";
import { Button, Languages } from "./parts";
import { failureText } from "./sign-in";

export function SettingsScreen() {
  const t = texts.value.settings;
  return (
    <main class="screen" id="main">
      <h1 id="title" tabIndex={-1}>
        {t.title}
      </h1>
      <section class="card stack">
        <p>{t.signedInAs(me.value?.name ?? "")}</p>
        <DutyButton kind="plain" />
      </section>
      <Push />
      <section class="card stack">
        <h2>{t.background}</h2>
        <a class="button plain" href="#device" data-testid="device">
          {texts.value.position.setUp}
        </a>
      </section>
      <section class="card stack">
        <h2>{texts.value.language}</h2>
        <Languages />
      </section>
      <SignOut />
    </main>
  );
}

function Push() {
  const t = texts.value.settings;
  const [error, setError] = useState("");
  const state = push.value;
  if (state === "unsupported") return null;
  const change = (action: () => Promise<void>) => {
    setError("");
    action().catch((failure: unknown) => setError(failureText(failure)));
  };
  return (
    <section class="card stack">
      <h2>{t.push}</h2>
      <p>{state === "on" ? t.pushOn : state === "denied" ? t.pushDenied : t.pushOff}</p>
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {state === "off" && (
        <Button onClick={() => change(enablePush)} testId="push">
          {t.pushEnable}
        </Button>
      )}
      {state === "on" && (
        <Button onClick={() => change(disablePush)} testId="push">
          {t.pushDisable}
        </Button>
      )}
    </section>
  );
}

function SignOut() {
  const t = texts.value.settings;
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const unsent = waiting.value.length;
  const leave = async () => {
    if (unsent > 0 && !isWarned) return setWarned(true);
    setBusy(true);
    try {
      // The browser keeps the subscription if it fails; the service removes it when the session's courier is gone.
      await disablePush().catch(() => {});
      await signOut();
      location.hash = "";
    } catch (failure) {
      setError(failure instanceof UnavailableError ? t.signOutOffline : failureText(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card stack">
      {isWarned && (
        <p class="error" role="alert">
          {t.signOutUnsent(unsent)}
        </p>
      )}
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <Button kind="danger" busy={isBusy} onClick={() => void leave()} testId="sign-out">
        {isWarned ? t.signOutAnyway : t.signOut}
      </Button>
    </section>
  );
}
