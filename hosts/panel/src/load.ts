/** The vehicles and loads of forms, and the API's values that they become. */

import { typed } from "./format";
import type { CreateOrder, VehicleKind } from "./api/wire";
import { decimal } from "./numbers";

/** All kinds, from the smallest to the largest. */
export const VEHICLES: readonly VehicleKind[] = [
  "BICYCLE",
  "SCOOTER",
  "MOTORBIKE_BAG",
  "MOTORBIKE_BOX",
  "CAR",
  "VUC",
];

export interface LoadDraft {
  /** The permitted kinds. A name that is not one of [`VEHICLES`] is reported by the API. */
  vehicles: string[];
  weight: string;
  volume: string;
  packages: string;
  /** A draft of an older version has none. */
  thermic?: boolean;
}

export const emptyLoad = (): LoadDraft => ({ vehicles: [], weight: "", volume: "", packages: "" });

/** Returns the grams or millilitres of typed kilograms or litres. Other text is returned unchanged, so that the API reports it. */
export function thousandths(text: string): number | undefined {
  const value = decimal(text);
  return typeof value === "number" ? Math.round(value * 1_000) : value;
}

/** Returns the text of grams or millilitres in a field for kilograms or litres, without thousands separators. */
export const typedThousandths = (value: number): string => typed(value / 1_000);

/** Returns the requirements of a form, or nothing if it is empty. A draft of an older version has none. */
export function requirementsOf(load: LoadDraft | undefined): {
  requirements?: NonNullable<CreateOrder["requirements"]>;
} {
  if (load === undefined) return {};
  const amounts = {
    weightGrams: thousandths(load.weight),
    volumeMillilitres: thousandths(load.volume),
    packages: decimal(load.packages),
  };
  const present: [string, unknown][] = Object.entries(amounts).filter(
    ([, value]) => value !== undefined,
  );
  if (load.vehicles.length > 0) present.push(["vehicle", load.vehicles]);
  if (load.thermic === true) present.push(["container", "THERMIC"]);
  return present.length === 0 ? {} : { requirements: Object.fromEntries(present) };
}
