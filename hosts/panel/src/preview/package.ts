/** The package from bindings/, as the panel uses it. */

import type { Preview, Problem } from "../api/wire";

export interface Previewer {
  preview(request: unknown, options: { language: string }): Preview;
}

export interface Package {
  createPreviewer(context: unknown, options: { language: string }): Promise<Previewer>;
  lookupPostcode(zip: string): Promise<{ city: string; state: string } | null>;
}

/** Loads the package, apart from the first page; `null` where this build of the panel was made without it. */
export async function load(): Promise<Package | null> {
  const found = await import("despacho");
  return found.createPreviewer === null ? null : (found as Package);
}

/** The problem that the core would answer with, thrown by the package. */
export function problemOf(thrown: unknown): Problem | null {
  const problem = (thrown as { problem?: Problem } | null)?.problem;
  return problem?.code === undefined ? null : problem;
}
