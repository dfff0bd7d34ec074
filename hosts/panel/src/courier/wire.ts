/** The API's JSON that the courier's app uses. */

import type { components } from "despacho/api";

type Schemas = components["schemas"];

export type Address = Schemas["Address"];
export type EventType = Schemas["EventType"];
export type RecipientChoice = Schemas["RecipientChoice"];
export type ProofPart = Schemas["ProofPart"];
export type ProofStep = Schemas["ProofStep"];
export type CourierSelf = Schemas["CourierSelf"];
export type Order = Schemas["CourierOrder"];
/** The type of a stop is a string in the document. */
export type Stop = Omit<Schemas["TripStop"], "type"> & { type: "PICKUP" | "DELIVERY" | "RETURN" };
export type Trip = Omit<Schemas["Trip"], "stops"> & { stops: Stop[] };
export type DeviceKey = Schemas["DeviceKey"];

export interface Problem {
  status: number;
  code: string;
  detail: string;
  errors: { pointer: string; detail: string }[];
}
