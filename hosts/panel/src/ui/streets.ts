/** The streets of the map, drawn from a PMTiles file of the server in the colours of the page. Loaded only if the server has such a file. */

import type L from "leaflet";
import {
  LineLabelSymbolizer,
  LineSymbolizer,
  PolygonSymbolizer,
  leafletLayer,
} from "protomaps-leaflet";
import type { Streets } from "../api/client";

/** A class of roads with its width in pixels at the zooms 12, 15 and 18, and the first zoom with names. */
interface Road {
  name: string;
  widths: readonly [number, number, number];
  names: number;
}

/** The classes of `despacho streets build`, from the lowest one. */
const ROADS: readonly Road[] = [
  { name: "path", widths: [0.3, 0.8, 3], names: 18 },
  { name: "service", widths: [0.4, 1.5, 6], names: 18 },
  { name: "minor", widths: [0.6, 3, 14], names: 16 },
  { name: "medium", widths: [1, 4.5, 17], names: 15 },
  { name: "major", widths: [1.5, 6, 20], names: 14 },
  { name: "motorway", widths: [2, 7, 22], names: 14 },
];

/** The part of the library's layer that reads tiles. Its types omit it. */
interface StreetLayer extends L.GridLayer {
  views: Map<string, { getDisplayTile: (tile: unknown) => Promise<unknown> }>;
}

/** Fires the `tileerror` of Leaflet, because the library only logs a tile that it could not read. */
function reportFailures(layer: StreetLayer): void {
  for (const view of layer.views.values()) {
    const read = view.getDisplayTile.bind(view);
    view.getDisplayTile = (tile) =>
      read(tile).catch((error: unknown) => {
        if (!(error instanceof Error && error.name === "AbortError")) layer.fire("tileerror");
        throw error;
      });
  }
}

/** Creates the layer in the current colours; after a change of the colour scheme, create another one. */
export function streetLayer(streets: Streets, attribution: string): L.GridLayer {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--map-${name}`).trim();
  const isClass = (name: string) => (_: number, feature: { props: Record<string, unknown> }) =>
    feature.props.class === name;
  const width =
    ([small, medium, large]: Road["widths"], extra: number) =>
    (zoom: number) => {
      const between = (from: number, to: number, share: number) =>
        from * (to / from) ** Math.min(1, Math.max(0, share));
      return (
        (zoom < 15
          ? between(small, medium, (zoom - 12) / 3)
          : between(medium, large, (zoom - 15) / 3)) + extra
      );
    };
  const line = (road: Road, kind: "casing" | "road", extra: number) => ({
    dataLayer: "roads",
    filter: isClass(road.name),
    symbolizer: new LineSymbolizer({
      color: colour(road.name === "path" ? "path" : kind),
      width: width(road.widths, extra),
      lineCap: "round",
      lineJoin: "round",
    }),
  });
  const cased = ROADS.filter((road) => road.name !== "path");
  const font = `500 11px ${style.getPropertyValue("--font")}`;
  const layer = leafletLayer({
    url: new URL(streets.url, location.href).href,
    attribution,
    maxDataZoom: 14,
    maxZoom: 19,
    noWrap: true,
    backgroundColor: colour("ground"),
    paintRules: [
      { dataLayer: "parks", symbolizer: new PolygonSymbolizer({ fill: colour("park") }) },
      {
        dataLayer: "water",
        filter: isClass("water"),
        symbolizer: new PolygonSymbolizer({ fill: colour("water") }),
      },
      {
        dataLayer: "water",
        filter: isClass("river"),
        symbolizer: new LineSymbolizer({ color: colour("water"), width: 3 }),
      },
      ...ROADS.filter((road) => road.name === "path").map((road) => line(road, "road", 0)),
      ...cased.map((road) => line(road, "casing", 1.5)),
      ...cased.map((road) => line(road, "road", 0)),
    ],
    labelRules: [...ROADS].reverse().map((road) => ({
      dataLayer: "roads",
      minzoom: road.names,
      filter: isClass(road.name),
      symbolizer: new LineLabelSymbolizer({
        labelProps: ["name"],
        fill: colour("label"),
        stroke: colour("halo"),
        width: 2.5,
        font,
      }),
    })),
  });
  reportFailures(layer as unknown as StreetLayer);
  return layer as unknown as L.GridLayer;
}
