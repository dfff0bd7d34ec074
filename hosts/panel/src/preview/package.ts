/** The package from bindings/, as the panel uses it. */

import type { Preview } from "../api/wire";

export interface Previewer {
  preview(request: unknown, language: string): Preview;
}

export interface Package {
  createPreviewer(context: unknown): Previewer;
  lookupPostcode(zip: string): { city: string; state: string } | null;
}

/** Loads the package; `null` where this build of the panel was made without it. */
export async function load(): Promise<Package | null> {
  return null;
}
