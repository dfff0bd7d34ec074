/** The screen without a trip: starting and ending the duty. */

import { useState } from "preact/hooks";
import { api } from "../api";
import { me } from "../state";
import { setSelf, sync } from "../sync";
import { texts } from "../texts";
import { CashInHand } from "./cash";
import { Button, announce } from "./parts";
import { failureText } from "./sign-in";
import { EarnedLink } from "./today";

export function Duty() {
  const t = texts.value.duty;
  const isOn = me.value?.available === true;
  return (
    <>
      <main class="screen center" id="main">
        <div class={isOn ? "pulse on" : "pulse"} aria-hidden="true" />
        <h1 id="title" tabIndex={-1}>
          {isOn ? t.waiting : t.offTitle}
        </h1>
        <p class="dim">{isOn ? t.waitingHint : t.offHint}</p>
        <CashInHand />
        <EarnedLink />
      </main>
      <footer class="bar">
        <DutyButton kind={isOn ? "plain" : "primary"} />
      </footer>
    </>
  );
}

export function DutyButton(props: { kind: "plain" | "primary" }) {
  const t = texts.value.duty;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const isOn = me.value?.available === true;
  const toggle = async () => {
    setBusy(true);
    setError("");
    try {
      await setSelf(await api.setAvailable(!isOn));
      announce(isOn ? t.nowOff : t.nowOn);
      void sync();
    } catch (failure) {
      setError(failureText(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <Button kind={props.kind} busy={isBusy} onClick={() => void toggle()} testId="duty">
        {isOn ? t.goOff : t.goOn}
      </Button>
    </>
  );
}
