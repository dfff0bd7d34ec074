/** A map of the stops, the legs and the courier, on a plain background if neither streets nor a tile server are configured. */

import L from "leaflet";
import "leaflet/dist/leaflet.css";
import "../styles/map.css";
import { useEffect, useRef } from "preact/hooks";
import { deployment, type Tiles } from "../api/client";
import type { RouteLeg } from "../api/wire";
import "../styles/map.css";

export interface Mark {
  name: string;
  label: string;
  latitude: number;
  longitude: number;
  /** Uncertainty of the position in metres; 0 if it is exact. */
  radius: number;
  kind: "pickup" | "stop" | "done" | "over" | "courier";
  /** Further CSS classes. */
  style?: string;
  /** The radius in pixels. */
  size?: number;
}

interface Props {
  label: string;
  marks: readonly Mark[];
  /** The coordinates of the stops, in route order. */
  path: readonly (readonly [number, number])[];
  /** If set, the map fits its marks only when this number changes, and names appear under the pointer. */
  view?: number;
  /** Called if the user selects a mark. Without it, a selected mark shows its name. */
  select?: (mark: Mark) => void;
  /** The legs along the roads, which replace the straight lines between the stops. */
  legs?: readonly RouteLeg[] | undefined;
}

export function RouteMap(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map | null>(null);
  const drawn = useRef<L.LayerGroup | null>(null);
  const fittedTo = useRef("");

  useEffect(() => {
    if (box.current === null) return;
    const made = L.map(box.current, {
      zoomControl: true,
      attributionControl: false,
      zoomSnap: 0.25,
      scrollWheelZoom: false,
      fadeAnimation: false,
    });
    map.current = made;
    drawn.current = L.layerGroup().addTo(made);
    L.control.scale({ imperial: false, maxWidth: 90 }).addTo(made);
    const removeBackground = addBackground(made);
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
    const legs = props.legs ?? [{ path: props.path, source: "straight" }];
    for (const { path, source } of legs) {
      const points = path.map(([latitude, longitude]) => L.latLng(latitude ?? 0, longitude ?? 0));
      if (points.length > 1)
        L.polyline(points, {
          className: `leg ${source}`,
          weight: source === "roads" ? 4 : 3,
          interactive: false,
        }).addTo(layer);
    }
    for (const mark of props.marks) {
      if (mark.radius > 0) {
        L.circle([mark.latitude, mark.longitude], {
          radius: mark.radius,
          className: `approximate ${mark.kind}`,
          weight: 1.5,
          interactive: false,
        }).addTo(layer);
      }
      const circle = L.circleMarker([mark.latitude, mark.longitude], {
        radius: mark.size ?? (mark.kind === "courier" ? 8 : 11),
        className: `mark ${mark.kind} ${mark.style ?? ""}`.trim(),
        weight: 2,
      }).addTo(layer);
      if (mark.label !== "") {
        const options = {
          permanent: true,
          direction: "center",
          className: `mark-label ${mark.kind}`,
          opacity: 1,
        } as const;
        circle.bindTooltip(text(mark.label), options);
      }
      if (props.view !== undefined) circle.bindTooltip(text(mark.name));
      else if (mark.kind === "courier" && mark.name !== "") {
        circle.bindTooltip(text(mark.name), {
          permanent: true,
          direction: "top",
          offset: [0, -8],
          className: "courier-name",
          opacity: 1,
        });
      }
      const { select } = props;
      if (select === undefined) circle.bindPopup(text(mark.name));
      else circle.on("click", () => select(mark));
    }
    // The map is fitted again only if the stops change or the courier leaves it: a map that moves with the courier is hard to read.
    const isStop = (mark: Mark) => mark.kind !== "courier";
    const stops = () =>
      JSON.stringify(
        props.marks.filter(isStop).map((mark) => [mark.latitude, mark.longitude, mark.radius]),
      );
    const frame = props.view === undefined ? stops() : String(props.view);
    const isOutside =
      props.view === undefined &&
      props.marks.some(
        (mark) =>
          !isStop(mark) &&
          fittedTo.current !== "" &&
          !view.getBounds().contains([mark.latitude, mark.longitude]),
      );
    if ((frame !== fittedTo.current || isOutside) && props.marks.length > 0) {
      fittedTo.current = frame;
      const bounds = L.latLngBounds([]);
      for (const { latitude, longitude, radius } of props.marks)
        bounds.extend(L.latLng(latitude, longitude).toBounds(Math.max(2 * radius, 1)));
      view.fitBounds(bounds.pad(0.2), { maxZoom: 16, animate: false });
    }
  }, [props.marks, props.path, props.legs, props.view]);

  return <div ref={box} class="map" role="group" aria-label={props.label} />;
}

/** Adds the configured streets or tiles to a map. Returns a function that ends their updates. */
export function addBackground(map: L.Map): () => void {
  const stop = new AbortController();
  void deployment().then(async ({ streets, tiles }) => {
    if (stop.signal.aborted || (!streets && tiles === null)) return;
    L.control.attribution({ prefix: false }).addTo(map);
    if (!streets) {
      if (tiles !== null) addTiles(map, tiles, stop.signal);
      map.getContainer().classList.add("tiled");
      return;
    }
    const module = await import("./streets").catch(() => null);
    if (stop.signal.aborted || module === null) return;
    const { streetLayer } = module;
    addStreets(map, () => streetLayer(streets, escaped(streets.attribution)), stop.signal);
    map.getContainer().classList.add("streets");
  });
  return () => stop.abort();
}

/** Adds map tiles, and loads those that failed again when the network returns. */
function addTiles(map: L.Map, tiles: Tiles, signal: AbortSignal): void {
  const failed = new Set<HTMLImageElement>();
  L.tileLayer(tiles.url, { attribution: escaped(tiles.attribution), maxZoom: 19 })
    .on("tileerror", ({ tile }) => failed.add(tile as HTMLImageElement))
    .addTo(map);
  const reload = () => {
    for (const tile of failed) {
      // Setting the attribute, even to its own value, starts a new request.
      if (tile.isConnected) tile.setAttribute("src", tile.src);
    }
    failed.clear();
  };
  addEventListener("online", reload, { signal });
}

/** Adds the streets, and replaces them after a change of the colour scheme, or when the network returns after a tile has failed. */
function addStreets(map: L.Map, create: () => L.GridLayer, signal: AbortSignal): void {
  let hasFailed = false;
  const add = () =>
    create()
      .on("tileerror", () => (hasFailed = true))
      .addTo(map);
  let layer = add();
  const replace = () => {
    hasFailed = false;
    layer.remove();
    layer = add();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", replace, { signal });
  addEventListener("online", () => hasFailed && replace(), { signal });
}

/** Wraps text in an element, because Leaflet interprets strings as HTML. */
function text(content: string): HTMLElement {
  const span = document.createElement("span");
  span.textContent = content;
  return span;
}

function escaped(content: string): string {
  return text(content).innerHTML;
}
