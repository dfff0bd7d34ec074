/** The outline of a service area while it is edited. Corners are latitude and longitude in degrees. */

import type { StoreArea } from "./api/wire";

export type Corner = readonly [latitude: number, longitude: number];
type Geometry = NonNullable<StoreArea["serviceArea"]>;

/** The length of a degree of latitude. */
const DEGREE_KM = 111.195;
const CIRCLE_CORNERS = 32;

/** Returns the corners of an area with one outline, or null if it has several outlines or holes. */
export function corners(area: Geometry | null | undefined): Corner[] | null {
  if (area == null) return [];
  const [ring, ...others] = (
    area.type === "Polygon" ? area.coordinates : area.coordinates.flat(1)
  ) as number[][][];
  if (ring === undefined || others.length > 0) return null;
  return ring.slice(0, -1).map(([longitude = 0, latitude = 0]) => [latitude, longitude] as const);
}

/** Returns the area of an outline, with seven decimals: a centimetre. Null without corners. */
export function geometry(outline: readonly Corner[]): Geometry | null {
  const [first] = outline;
  if (first === undefined) return null;
  const ring = [...outline, first].map(([latitude, longitude]) => [
    Number(longitude.toFixed(7)),
    Number(latitude.toFixed(7)),
  ]);
  return { type: "Polygon", coordinates: [ring] } as Geometry;
}

/** Returns a circle as an outline. */
export function circle([latitude, longitude]: Corner, km: number): Corner[] {
  const high = km / DEGREE_KM;
  const wide = high / Math.cos((latitude * Math.PI) / 180);
  return Array.from({ length: CIRCLE_CORNERS }, (_, at) => {
    const angle = (2 * Math.PI * at) / CIRCLE_CORNERS;
    return [latitude + high * Math.cos(angle), longitude + wide * Math.sin(angle)] as const;
  });
}

/** Adds a corner to the nearest edge, or to the end of an unfinished outline. */
export function withCorner(outline: readonly Corner[], corner: Corner): Corner[] {
  if (outline.length < 3) return [...outline, corner];
  const far = outline.map((from, at) =>
    toEdge(corner, from, outline[(at + 1) % outline.length] ?? from),
  );
  const nearest = far.indexOf(Math.min(...far));
  return [...outline.slice(0, nearest + 1), corner, ...outline.slice(nearest + 1)];
}

/** Returns the distance from a point to an edge, in degrees of latitude. */
function toEdge(point: Corner, from: Corner, to: Corner): number {
  const scale = Math.cos((point[0] * Math.PI) / 180);
  const [x, y] = [(to[1] - from[1]) * scale, to[0] - from[0]];
  const [px, py] = [(point[1] - from[1]) * scale, point[0] - from[0]];
  const along = (px * x + py * y) / (x * x + y * y || 1);
  const part = Math.min(Math.max(along, 0), 1);
  return Math.hypot(px - part * x, py - part * y);
}
