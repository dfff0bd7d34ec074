/** The values and errors of the form of a step. */

import { signal } from "@preact/signals";
import type { NextStop } from "../state";
import type { StepKind } from "../steps";
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

export const EMPTY: Values = {
  code: "",
  reason: "",
  isPaid: false,
  photos: [],
  receivedBy: "",
  note: "",
};

/** The open form. It belongs to no screen, because its own step can end the trip before the service has decided. */
export const openForm = signal<{ at: NextStop; kind: StepKind; label: string } | null>(null);
