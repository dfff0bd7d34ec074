/** The service area of a store, drawn on a map by pointer, touch or keyboard. */

import L from "leaflet";
import { useEffect, useRef, useState } from "preact/hooks";
import { policies } from "../api/client";
import type { StoreArea } from "../api/wire";
import { circle, corners, geometry, withCorner, type Corner } from "../area";
import { areaTexts } from "../i18n/area";
import { decimal } from "../numbers";
import { ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { addBackground } from "../ui/map";
import { useSubmit } from "../ui/submit";
import "../styles/map.css";

interface Props {
  id: number;
  value: StoreArea;
  /** The store's location, or null if it is unknown. */
  centre: Corner | null;
  onSaved: () => void;
}

/** São Paulo, for a store without coordinates. */
const DEFAULT_CENTRE: Corner = [-23.55, -46.63];
const CITY_ZOOM = 12;
const MAX_RADIUS_KM = 100;
/** The steps of the arrow keys in pixels. */
const STEP = 10;
const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

export function AreaForm(props: Props) {
  const t = areaTexts.value;
  const stored = corners(props.value.serviceArea);
  const [outlines, setOutlines] = useState<Corner[][]>([stored ?? []]);
  const outline = outlines.at(-1) ?? [];
  const isReplaced = stored === null && outlines.length === 1;
  const [radius, setRadius] = useState("5");
  const change = (next: Corner[]) => setOutlines((before) => [...before, next]);
  const { error, busy, submit } = useSubmit(
    () => policies.setArea(props.id, { serviceArea: geometry(outline) }),
    props.onSaved,
  );
  const km = decimal(radius);
  const isRadius = typeof km === "number" && km > 0 && km <= MAX_RADIUS_KM;
  return (
    <form class="card" onSubmit={submit} noValidate data-testid="area">
      <h2>{t.title}</h2>
      <p class="hint">{t.hint}</p>
      <FieldErrors.Provider value={fieldErrorsOf(error)}>
        <ErrorBox error={error} />
        {isReplaced && <p class="notice">{t.several}</p>}
        <AreaMap outline={outline} centre={props.centre} change={change} />
        <p class="dim">{outline.length === 0 ? t.none : t.count(outline.length)}</p>
        <div class="row area-tools">
          <TextField
            pointer="/radius"
            label={t.radius}
            value={radius}
            set={setRadius}
            mode="decimal"
            max={6}
          />
          <button
            type="button"
            class="button"
            disabled={!isRadius}
            onClick={() => isRadius && change(circle(props.centre ?? DEFAULT_CENTRE, km))}
          >
            {t.circle}
          </button>
          <button
            type="button"
            class="button"
            disabled={outlines.length === 1}
            onClick={() => setOutlines((before) => before.slice(0, -1))}
          >
            {t.undo}
          </button>
          <button
            type="button"
            class="button"
            disabled={outline.length === 0}
            onClick={() => change([])}
          >
            {t.clear}
          </button>
        </div>
        <div class="actions">
          <button type="submit" class="button primary" disabled={isReplaced} aria-disabled={busy}>
            {t.save}
          </button>
        </div>
      </FieldErrors.Provider>
    </form>
  );
}

interface MapProps {
  outline: readonly Corner[];
  centre: Corner | null;
  change: (outline: Corner[]) => void;
}

function AreaMap(props: MapProps) {
  const t = areaTexts.value;
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map | null>(null);
  const drawn = useRef<L.LayerGroup | null>(null);
  /** The corner that keeps the focus when the outline is drawn again. */
  const focused = useRef<number | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (box.current === null) return;
    const made = L.map(box.current, { attributionControl: false, fadeAnimation: false });
    map.current = made;
    const removeBackground = addBackground(made);
    L.control.scale({ imperial: false, maxWidth: 90 }).addTo(made);
    drawn.current = L.layerGroup().addTo(made);
    const { outline, centre } = latest.current;
    if (outline.length > 0)
      made.fitBounds(L.latLngBounds(outline.map(latLng)).pad(0.1), { animate: false });
    else made.setView(latLng(centre ?? DEFAULT_CENTRE), CITY_ZOOM, { animate: false });
    made.on("click", ({ latlng }) =>
      latest.current.change(withCorner(latest.current.outline, corner(latlng))),
    );
    const watch = new ResizeObserver(() => made.invalidateSize());
    watch.observe(box.current);
    return () => {
      removeBackground();
      watch.disconnect();
      made.remove();
      map.current = null;
    };
  }, []);

  useEffect(() => {
    const [view, layer] = [map.current, drawn.current];
    if (view === null || layer === null) return;
    layer.clearLayers();
    const { outline } = props;
    if (props.centre !== null)
      L.circleMarker(latLng(props.centre), {
        radius: 7,
        className: "mark pickup",
        interactive: false,
      }).addTo(layer);
    const shape = L.polygon(outline.map(latLng), { className: "area", interactive: false });
    shape.addTo(layer);
    const markers = outline.map((at, index) => {
      const icon = L.divIcon({ className: "corner", iconSize: [16, 16] });
      const marker = L.marker(latLng(at), { icon, draggable: true, title: t.corner(index + 1) });
      marker.addTo(layer);
      const moved = () =>
        outline.map((one, other) => (other === index ? corner(marker.getLatLng()) : one));
      marker.on("drag", () => shape.setLatLngs(moved().map(latLng)));
      marker.on("dragend", () => {
        focused.current = index;
        props.change(moved());
      });
      marker.on("keydown", ({ originalEvent: event }: L.LeafletKeyboardEvent) => {
        const arrow = ARROWS[event.key];
        if (arrow !== undefined) {
          const to = view.latLngToContainerPoint(marker.getLatLng()).add([...arrow]);
          marker.setLatLng(view.containerPointToLatLng(to));
          focused.current = index;
          props.change(moved());
        } else if (event.key === "Delete" || event.key === "Backspace") {
          focused.current = Math.min(index, outline.length - 2);
          props.change(outline.filter((_, other) => other !== index));
        } else return;
        // The map would move, too.
        event.preventDefault();
        event.stopPropagation();
      });
      return marker;
    });
    if (focused.current !== null) markers[focused.current]?.getElement()?.focus();
    focused.current = null;
  }, [props.outline, props.centre, t]);

  return <div ref={box} class="map area-map" role="group" aria-label={t.map} />;
}

const latLng = ([latitude, longitude]: Corner) => L.latLng(latitude, longitude);
const corner = (at: L.LatLng): Corner => {
  const { lat, lng } = at.wrap();
  return [lat, lng];
};
