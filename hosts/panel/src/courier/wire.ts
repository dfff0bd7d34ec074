/** The API's JSON that the courier's app uses. */

import type { components } from "despacho/api";

type Schemas = components["schemas"];

export type Address = Schemas["Address"];
export type EventType = Schemas["EventType"];
export type ProofPart = "PHOTO" | "NAME" | "NOTE" | "POSITION";
export type ProofStep = "PICKUP" | "DELIVERY" | "FAILURE" | "RETURN";

/** The parts of a proof that the store requires for a step, for any reason or only for one. */
export interface ProofRule {
  step: ProofStep;
  reason: string | null;
  requires: ProofPart[];
}

export type CourierSelf = Schemas["CourierSelf"];
export type Delivery = Schemas["CourierDelivery"] & { recipientChoice?: string | null };
export type Order = Omit<Schemas["CourierOrder"], "deliveries"> & { deliveries: Delivery[]; proofRules?: ProofRule[] };
export type Stop = Omit<Schemas["TripStop"], "type"> & { type: "PICKUP" | "DELIVERY" | "RETURN" };
export type Trip = Omit<Schemas["Trip"], "orders" | "stops"> & { orders: Order[]; stops: Stop[] };
export type DeviceKey = Schemas["DeviceKey"];

export interface Problem {
  status: number;
  code: string;
  detail: string;
  errors: { pointer: string; detail: string }[];
}
