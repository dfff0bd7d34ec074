/** The values and errors of the form of a step. */

import type { ProofPart } from "../wire";

export interface TakenPhoto {
  key: string;
  url: string;
}

export interface Values {
  code: string;
  reason: string;
  isPaid: boolean;
  photos: readonly TakenPhoto[];
  receivedBy: string;
  note: string;
}

export type Errors = Partial<Record<"code" | "reason" | "payment" | ProofPart, string>>;

export const EMPTY: Values = { code: "", reason: "", isPaid: false, photos: [], receivedBy: "", note: "" };
