/** The map, which is loaded after the first paint. */

import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { fix } from "../position";
import { describe, trip } from "../state";
import { texts } from "../texts";
import type { Stop } from "../wire";
import type { Mark } from "../../ui/map";

interface MapProps {
  label: string;
  marks: readonly Mark[];
  path: readonly (readonly [number, number])[];
}

const map = signal<FunctionComponent<MapProps> | null>(null);
let isLoading = false;

/** The map appears when it is loaded; without it, the addresses and links remain. */
export function LazyMap() {
  const Loaded = map.value;
  useEffect(() => {
    if (map.peek() !== null || isLoading) return;
    isLoading = true;
    import("./trip-map").then(
      (module) => (map.value = module.TripMap),
      () => (isLoading = false),
    );
  }, []);
  const stops = trip.value?.stops ?? [];
  const own = fix.value;
  // The map is drawn again only if something on it moved.
  const key = JSON.stringify([
    stops.map((stop) => [stop.type, stop.deliveryId, stop.latitude, stop.longitude]),
    own?.latitude,
    own?.longitude,
  ]);
  const drawn = useMemo(
    () => ({
      marks: marks(stops, own),
      path: stops.map((stop): [number, number] => [stop.latitude, stop.longitude]),
    }),
    [key],
  );
  return (
    <div class="map-box">
      {Loaded !== null && <Loaded label={texts.value.trip.mapLabel} {...drawn} />}
    </div>
  );
}

function marks(
  stops: readonly Stop[],
  own: { latitude: number; longitude: number } | null,
): Mark[] {
  const all = stops.map(
    (stop, at): Mark => ({
      name: describe(stop)?.delivery?.name ?? stop.address.street ?? "",
      label: String(at + 1),
      latitude: stop.latitude,
      longitude: stop.longitude,
      radius: 0,
      kind: stop.type === "DELIVERY" ? "stop" : "pickup",
    }),
  );
  // The stops are drawn over the courier, so that their numbers remain readable.
  if (own !== null)
    all.unshift({
      name: "",
      label: "",
      latitude: own.latitude,
      longitude: own.longitude,
      radius: 0,
      kind: "courier",
    });
  return all;
}
