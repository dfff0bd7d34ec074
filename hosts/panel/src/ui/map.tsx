/** Stops, legs and courier on a map; on plain ground where the deployment has no tile server. */

import L from "leaflet";
import "leaflet/dist/leaflet.css";
import { useEffect, useRef } from "preact/hooks";
import { deployment } from "../api/client";

export interface Mark {
  name: string;
  label: string;
  latitude: number;
  longitude: number;
  /** Uncertainty of the position in metres; 0 if it is exact. */
  radius: number;
  kind: "pickup" | "stop" | "done" | "over" | "courier";
}

interface Props {
  label: string;
  marks: readonly Mark[];
  /** The route's corners, in order. */
  path: readonly (readonly [number, number])[];
}

export function RouteMap(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map | null>(null);
  const drawn = useRef<L.LayerGroup | null>(null);
  const framed = useRef("");

  useEffect(() => {
    if (box.current === null) return;
    const made = L.map(box.current, { zoomControl: true, attributionControl: false, zoomSnap: 0.25, scrollWheelZoom: false });
    map.current = made;
    drawn.current = L.layerGroup().addTo(made);
    L.control.scale({ imperial: false, maxWidth: 90 }).addTo(made);
    let gone = false;
    void deployment().then(({ tiles: source }) => {
      if (gone || source === null) return;
      L.control.attribution({ prefix: false }).addTo(made);
      L.tileLayer(source.url, { attribution: escaped(source.attribution), maxZoom: 19 }).addTo(made);
      box.current?.classList.add("tiled");
    });
    const watch = new ResizeObserver(() => made.invalidateSize());
    watch.observe(box.current);
    return () => {
      gone = true;
      watch.disconnect();
      made.remove();
      map.current = null;
    };
  }, []);

  useEffect(() => {
    const [where, layer] = [map.current, drawn.current];
    if (where === null || layer === null) return;
    layer.clearLayers();
    if (props.path.length > 1) {
      L.polyline(props.path.map(([a, b]) => L.latLng(a, b)), { className: "leg", weight: 3, interactive: false }).addTo(layer);
    }
    for (const mark of props.marks) {
      if (mark.radius > 0) {
        L.circle([mark.latitude, mark.longitude], { radius: mark.radius, className: `rough ${mark.kind}`, weight: 1.5, interactive: false }).addTo(layer);
      }
      const circle = L.circleMarker([mark.latitude, mark.longitude], {
        radius: mark.kind === "courier" ? 8 : 11,
        className: `mark ${mark.kind}`,
        weight: 2,
      }).addTo(layer);
      if (mark.label !== "") {
        const where = { permanent: true, direction: "center", className: `mark-label ${mark.kind}`, opacity: 1 } as const;
        circle.bindTooltip(text(mark.label), where);
      }
      circle.bindPopup(text(mark.name));
    }
    // The frame follows the stops, not the courier: a map that jumps with every step cannot be read.
    const still = props.marks.filter((mark) => mark.kind !== "courier");
    const frame = JSON.stringify(still.map((mark) => [mark.latitude, mark.longitude]));
    if (frame !== framed.current && props.marks.length > 0) {
      framed.current = frame;
      const bounds = L.latLngBounds(props.marks.map((mark) => [mark.latitude, mark.longitude]));
      where.fitBounds(bounds.pad(0.25), { maxZoom: 16, animate: false });
    }
  }, [props.marks, props.path]);

  return <div ref={box} class="map" role="group" aria-label={props.label} />;
}

/** Leaflet takes text for HTML; a name is text. */
function text(content: string): HTMLElement {
  const span = document.createElement("span");
  span.textContent = content;
  return span;
}

function escaped(content: string): string {
  return text(content).innerHTML;
}
