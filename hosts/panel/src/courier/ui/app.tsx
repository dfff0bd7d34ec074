/** The frame of the app: status, banners, the current screen. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isDenied, isStale, staleMinutes } from "../position";
import { dismissFailed } from "../queue";
import { connected, failed, me, nextStop, phase, trip, waiting } from "../state";
import { texts } from "../texts";
import { Duty } from "./duty";
import { DeviceScreen } from "./device";
import { openForm } from "./form";
import { Announcements, Banner, Button, announce } from "./parts";
import { SettingsScreen } from "./settings";
import { SignIn } from "./sign-in";
import { StepForm } from "./step-form";
import { TodayScreen } from "./today";
import { TripScreen } from "./trip";
import { route } from "./route";

/** The reason that the sign-in with the link of the page failed. */
export const linkError = signal("");

export function App() {
  const t = texts.value;
  useEffect(() => {
    document.title = t.title;
  }, [t]);
  return (
    <>
      <Content />
      <Announcements />
    </>
  );
}

function Content() {
  const t = texts.value;
  switch (phase.value) {
    case "starting":
      return (
        <main class="screen center">
          <p role="status">{t.loading}</p>
        </main>
      );
    case "broken":
      return (
        <main class="screen center">
          <h1>{t.title}</h1>
          <p role="alert">{t.broken}</p>
        </main>
      );
    case "other":
      return (
        <main class="screen center">
          <h1>{t.other}</h1>
          <Button kind="primary" onClick={() => location.reload()}>
            {t.useHere}
          </Button>
        </main>
      );
    case "signedOut":
      return <SignIn key={linkError.value} error={linkError.value} />;
    default:
      return <Frame />;
  }
}

function Frame() {
  const t = texts.value;
  const screen = route.value;
  const next = nextStop.value;
  const isFirst = useRef(true);
  // A new stop or screen is announced by its focused title. The first one keeps the browser's focus.
  const key =
    screen === "trip" ? `${next?.stop.type} ${next?.order.id} ${next?.delivery?.id}` : screen;
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else if (document.querySelector("dialog[open]") === null)
      document.getElementById("title")?.focus();
    scrollTo(0, 0);
  }, [key]);
  useAnnouncements();
  useEffect(
    () => () => {
      openForm.value = null;
    },
    [],
  );
  const isFormOpen = openForm.value !== null;
  useEffect(() => {
    // The button that opened the form can be gone.
    if (!isFormOpen && !isFirst.current && document.activeElement === document.body)
      document.getElementById("title")?.focus();
  }, [isFormOpen]);
  return (
    <div class="app">
      <header class="top">
        {screen === "trip" ? (
          <p class="status">
            <span class={me.value?.available === true ? "dot on" : "dot"} aria-hidden="true" />
            {me.value?.available === true ? t.duty.on : t.duty.off}
          </p>
        ) : (
          <a class="button plain" href="#">
            {t.back}
          </a>
        )}
        <Connection />
        {screen === "trip" && (
          <a class="button plain" href="#settings" data-testid="settings">
            {t.settings.open}
          </a>
        )}
      </header>
      <div class="banners">
        <Failed />
        {!connected.value && (
          <Banner tone="wait" title={t.offline} testId="offline">
            <p>{t.offlineHint}</p>
          </Banner>
        )}
        {connected.value && isStale.value && screen !== "device" && (
          <Banner
            tone="warn"
            title={isDenied.value ? t.position.denied : t.position.stale(staleMinutes.value)}
            testId="stale"
          >
            <p>{t.position.hint}</p>
            <a class="button plain" href="#device">
              {t.position.setUp}
            </a>
          </Banner>
        )}
      </div>
      {screen === "settings" ? (
        <SettingsScreen />
      ) : screen === "device" ? (
        <DeviceScreen />
      ) : screen === "today" ? (
        <TodayScreen />
      ) : trip.value === null ? (
        <Duty />
      ) : (
        <TripScreen />
      )}
      {openForm.value !== null && (
        <StepForm {...openForm.value} close={() => (openForm.value = null)} />
      )}
    </div>
  );
}

function Connection() {
  const n = waiting.value.length;
  return (
    <p class="queue" data-testid="queue" data-waiting={n}>
      {n > 0 ? texts.value.queued(n) : ""}
    </p>
  );
}

/** Steps that the service rejected, with the reason in words. */
function Failed() {
  const t = texts.value;
  if (failed.value.length === 0) return null;
  return (
    <Banner tone="bad" title={t.failed.title} testId="failed">
      <ul>
        {failed.value.map((step) => (
          <li key={step.key} data-state={step.state}>
            {step.state === "rejected"
              ? t.failed.rejected(t.steps[step.kind], step.label)
              : t.failed.dropped(t.steps[step.kind], step.label)}
            {step.detail !== "" && <span class="reason"> {step.detail}</span>}
          </li>
        ))}
      </ul>
      <p>{t.failed.hint}</p>
      <Button onClick={() => void dismissFailed()} testId="dismiss">
        {t.failed.dismiss}
      </Button>
    </Banner>
  );
}

/** Announces new and ended trips, and the end of the queue. */
function useAnnouncements(): void {
  const hasTrip = trip.value !== null;
  const isEmpty = waiting.value.length === 0;
  const before = useRef({ hasTrip, isEmpty });
  useEffect(() => {
    const t = texts.peek();
    if (hasTrip && !before.current.hasTrip) {
      announce(t.trip.newTrip);
      navigator.vibrate?.([200, 100, 200]);
    } else if (!hasTrip && before.current.hasTrip) {
      announce(t.trip.ended);
    } else if (isEmpty && !before.current.isEmpty) {
      announce(t.sent);
    }
    before.current = { hasTrip, isEmpty };
  }, [hasTrip, isEmpty]);
}
