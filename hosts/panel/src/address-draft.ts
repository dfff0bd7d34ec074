/** The address that the user types, and what becomes of it. */

import type { Address } from "./api/wire";
import { decimal } from "./numbers";

export interface AddressDraft {
  zipCode: string;
  street: string;
  number: string;
  complement: string;
  neighborhood: string;
  city: string;
  state: string;
  latitude: string;
  longitude: string;
}

export const emptyAddress = (): AddressDraft => ({
  zipCode: "",
  street: "",
  number: "",
  complement: "",
  neighborhood: "",
  city: "",
  state: "",
  latitude: "",
  longitude: "",
});

/** Returns the fields of a stored address. */
export function addressDraft(of: Address): AddressDraft {
  const text = (value: string | number | null | undefined) => (value == null ? "" : String(value));
  return {
    zipCode: text(of.zipCode),
    street: text(of.street),
    number: text(of.number),
    complement: text(of.complement),
    neighborhood: text(of.neighborhood),
    city: text(of.city),
    state: text(of.state),
    latitude: text(of.latitude),
    longitude: text(of.longitude),
  };
}

const PLACE = ["zipCode", "street", "number", "city", "state"] as const;
const PIN = ["latitude", "longitude"] as const;

/** Returns an edited address. A pin that was set for another place is removed. */
export function editAddress(before: AddressDraft, after: AddressDraft): AddressDraft {
  const bare = (draft: AddressDraft, name: (typeof PLACE)[number]) =>
    name === "zipCode" ? bareZip(draft.zipCode) : draft[name].trim();
  const isMoved = PLACE.some((name) => bare(after, name) !== bare(before, name));
  const hasNewPin = PIN.some((name) => after[name] !== before[name]);
  return isMoved && !hasNewPin ? { ...after, latitude: "", longitude: "" } : after;
}

type AddressBody = { [Name in keyof Address]?: NonNullable<Address[Name]> };

/** Returns the address of a request body, without the empty fields. */
export function addressRequest(draft: AddressDraft): AddressBody {
  const body: AddressBody = {};
  for (const name of [
    "street",
    "number",
    "complement",
    "neighborhood",
    "city",
    "state",
    "zipCode",
  ] as const) {
    if (draft[name].trim() !== "") body[name] = draft[name].trim();
  }
  for (const name of ["latitude", "longitude"] as const) {
    const degrees = decimal(draft[name]);
    if (degrees !== undefined) body[name] = degrees;
  }
  return body;
}

/** Returns the digits of a CEP. */
export const bareZip = (typed: string) => typed.replace(/\D/g, "");

export function isLocatable(draft: AddressDraft): boolean {
  const hasCoordinates = draft.latitude.trim() !== "" && draft.longitude.trim() !== "";
  return (
    bareZip(draft.zipCode).length === 8 ||
    (draft.city.trim() !== "" && draft.state !== "") ||
    hasCoordinates
  );
}

/** Returns the coordinates if both are complete. */
export function coordinates(draft: AddressDraft): [number, number] | null {
  const [latitude, longitude] = [decimal(draft.latitude), decimal(draft.longitude)];
  return Number.isFinite(latitude) && Number.isFinite(longitude)
    ? [latitude as number, longitude as number]
    : null;
}
