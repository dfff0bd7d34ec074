/** The navigation to a stop with an app of the courier's choice. */

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { Dialog } from "../../ui/dialog";
import { texts } from "../texts";
import { Button } from "./parts";

interface Place {
  latitude: number;
  longitude: number;
}

/** Links that open an app if it is installed, and otherwise a page. iPhones do not know `geo:`. */
const APPS: readonly { name: string; link: (place: Place) => string }[] = [
  {
    name: "Google Maps",
    link: ({ latitude, longitude }) =>
      `https://www.google.com/maps/dir/?api=1&travelmode=driving&destination=${latitude},${longitude}`,
  },
  {
    name: "Waze",
    link: ({ latitude, longitude }) =>
      `https://waze.com/ul?navigate=yes&ll=${latitude},${longitude}`,
  },
  {
    name: "Apple Maps",
    link: ({ latitude, longitude }) =>
      `https://maps.apple.com/?dirflg=d&daddr=${latitude},${longitude}`,
  },
];
const KEY = "despacho.courier.navigation";

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The name of the chosen app, or null before the first choice. */
const chosen = signal(stored());

function choose(name: string): void {
  chosen.value = name;
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Without storage, the courier chooses again after a reload.
  }
}

export function Navigation(props: Place) {
  const t = texts.value.trip;
  const [isOpen, setOpen] = useState(false);
  const app = APPS.find((one) => one.name === chosen.value);
  const link = (one: (typeof APPS)[number], label: string) => (
    <a
      key={one.name}
      class="button plain"
      href={one.link(props)}
      target="_blank"
      rel="noreferrer"
      onClick={() => {
        choose(one.name);
        setOpen(false);
      }}
    >
      {label}
    </a>
  );
  const { latitude, longitude } = props;
  return (
    <>
      {app !== undefined && link(app, t.navigateWith(app.name))}
      <Button onClick={() => setOpen(true)} testId="navigate">
        {app === undefined ? t.navigate : t.changeApp}
      </Button>
      {isOpen && (
        <Dialog title={t.chooseApp} close={() => setOpen(false)}>
          <div class="stack">
            {APPS.map((one) => link(one, one.name))}
            {/Android/.test(navigator.userAgent) && (
              <a
                class="button plain"
                href={`geo:${latitude},${longitude}?q=${latitude},${longitude}`}
                onClick={() => setOpen(false)}
              >
                {t.otherApp}
              </a>
            )}
            <Button onClick={() => setOpen(false)}>{texts.value.cancel}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
