/** A dialog in which a pin on the map chooses a location, by pointer or keyboard. */

import L from "leaflet";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AddressDraft } from "../address-draft";
import { orders } from "../api/client";
import { form } from "../api/http";
import type { LocateAddress, Location } from "../api/wire";
import { texts } from "../i18n";
import { language } from "../i18n/language";
import { pinTexts } from "../i18n/pin";
import { store } from "../session";
import { Dialog } from "./dialog";
import { ErrorBox } from "./field";
import { addBackground } from "./map";

/** Brazil, if neither the address nor the store has coordinates. */
const COUNTRY = { centre: [-14.2, -51.9], zoom: 4 } as const;
const STREET_ZOOM = 16;
/** The steps of the arrow keys in pixels. */
const STEP = 16;
const SMALL_STEP = 1;
const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Props {
  /** The coordinates that the form has. */
  start: readonly [number, number] | null;
  /** The address of the form, for the search. */
  address: AddressDraft;
  choose: (latitude: string, longitude: string) => void;
  close: () => void;
}

export function PinDialog(props: Props) {
  const t = pinTexts.value;
  const box = useRef<HTMLDivElement>(null);
  const [pin, setPin] = useState<L.LatLng | null>(
    props.start === null ? null : L.latLng(props.start[0], props.start[1]),
  );
  const place = useRef<(at: L.LatLng) => void>(() => {});

  useEffect(() => {
    if (box.current === null) return;
    const map = L.map(box.current, {
      keyboard: false,
      attributionControl: false,
      fadeAnimation: false,
    });
    const removeBackground = addBackground(map);
    L.control.scale({ imperial: false, maxWidth: 90 }).addTo(map);
    const own = store.value?.address;
    const near =
      pin ??
      (own?.latitude != null && own.longitude != null
        ? L.latLng(own.latitude, own.longitude)
        : null);
    map.setView(near ?? [...COUNTRY.centre], near === null ? COUNTRY.zoom : STREET_ZOOM, {
      animate: false,
    });
    let at = pin;
    const marker = L.circleMarker(map.getCenter(), {
      radius: 10,
      weight: 3,
      className: "mark pin",
      interactive: false,
    });
    place.current = (spot) => {
      at = spot.wrap();
      marker.setLatLng(at).addTo(map);
      map.panInside(at, { padding: [40, 40], animate: false });
      setPin(at);
    };
    if (at !== null) place.current(at);
    map.on("click", (event) => place.current(event.latlng));
    const onKey = (event: KeyboardEvent) => {
      const arrow = ARROWS[event.key];
      if (arrow !== undefined) {
        const step = event.shiftKey ? SMALL_STEP : STEP;
        // The first key places the pin in the middle.
        if (at === null) place.current(map.getCenter());
        else
          place.current(
            map.containerPointToLatLng(
              map.latLngToContainerPoint(at).add([arrow[0] * step, arrow[1] * step]),
            ),
          );
      } else if (event.key === "+" || event.key === "=") map.zoomIn(1, { animate: false });
      else if (event.key === "-") map.zoomOut(1, { animate: false });
      else return;
      event.preventDefault();
    };
    const element = box.current;
    element.addEventListener("keydown", onKey);
    const watch = new ResizeObserver(() => map.invalidateSize());
    watch.observe(element);
    element.focus();
    return () => {
      element.removeEventListener("keydown", onKey);
      removeBackground();
      watch.disconnect();
      map.remove();
    };
  }, []);

  const degrees = (value: number) =>
    value.toFixed(6).replace(".", language.value === "pt" ? "," : ".");
  const use = () => {
    if (pin === null) return;
    props.choose(degrees(pin.lat), degrees(pin.lng));
    props.close();
  };
  return (
    <Dialog title={t.title} close={props.close}>
      <p class="hint" id="pin-hint">
        {t.hint}
      </p>
      {store.value !== null && (
        <Search
          address={props.address}
          found={(at) => place.current(L.latLng(at.latitude, at.longitude))}
        />
      )}
      <div
        ref={box}
        class="map pin-map"
        role="application"
        tabIndex={0}
        aria-label={t.map}
        aria-describedby="pin-hint"
      />
      <p class="pin-at" role="status">
        {pin === null ? t.none : t.at(degrees(pin.lat), degrees(pin.lng))}
      </p>
      <div class="row end">
        <button type="button" class="button" onClick={props.close}>
          {texts.value.common.close}
        </button>
        <button type="button" class="button primary" aria-disabled={pin === null} onClick={use}>
          {t.use}
        </button>
      </div>
    </Dialog>
  );
}

/** Finds an address by its street and number, with the city of the form or else of the store. It is no form, because it can be inside one. */
function Search(props: { address: AddressDraft; found: (at: Location) => void }) {
  const t = pinTexts.value;
  const { address } = props;
  const typed = [address.street, address.number].filter((part) => part.trim() !== "").join(", ");
  const [text, setText] = useState(typed);
  const [result, setResult] = useState<Location | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const search = () => {
    if (busy || text.trim() === "") return;
    setBusy(true);
    setResult(null);
    setError(null);
    const named =
      address.city.trim() !== "" && address.state !== "" ? address : store.value?.address;
    // The CEP belongs to the street of the form.
    const zipCode = text === typed ? address.zipCode : "";
    const shown = (at: Location) => {
      setResult(at);
      props.found(at);
    };
    orders
      .locate(
        form<LocateAddress>({
          street: text,
          city: named?.city ?? null,
          state: named?.state ?? null,
          zipCode: zipCode === "" ? null : zipCode,
        }),
      )
      .then(shown, setError)
      .finally(() => setBusy(false));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    search();
  };
  return (
    <div class="stack" role="search">
      <label for="pin-query">{t.search}</label>
      <div class="row">
        <input
          id="pin-query"
          type="search"
          class="grow"
          value={text}
          maxLength={255}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          class="button"
          aria-disabled={busy || text.trim() === ""}
          onClick={search}
        >
          {t.find}
        </button>
      </div>
      <ErrorBox error={error} />
      <p class="hint" role="status">
        {result !== null && t.found[result.precision](Math.round(result.radiusM))}
      </p>
    </div>
  );
}
