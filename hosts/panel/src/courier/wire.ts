/** The API's JSON that the courier's app uses. */

import type { components } from "despacho/api";

type Schemas = components["schemas"];

export type Address = Schemas["Address"];
export type PaymentMethod = Schemas["PaymentMethod"];
export type EventType = Schemas["EventType"];
export type RecipientChoice = Schemas["RecipientChoice"];
export type ProofPart = Schemas["ProofPart"];
export type ProofStep = Schemas["ProofStep"];
export type CourierSelf = Schemas["CourierSelf"];
export type Order = Schemas["CourierOrder"];
export type Stop = Schemas["TripStop"];
export type Trip = Schemas["Trip"];
export type CourierCash = Schemas["CourierCash"];
export type Earnings = Schemas["Earnings"];
export type PayEntry = Schemas["PayEntry"];
export type PayLine = Schemas["PayLine"];
export type DeviceKey = Schemas["DeviceKey"];

/** The body of a step: its time, and what the step needs. */
export type StepBody = Schemas["StepTime"] & Partial<Schemas["GiveCode"] & Schemas["FailDelivery"]>;

export interface Problem {
  status: number;
  code: string;
  detail: string;
  errors: { pointer: string; detail: string }[];
}
