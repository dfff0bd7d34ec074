/** The package from bindings/, as the panel uses it. */

import type { Problem } from "../api/wire";

export type Package = typeof import("despacho");
export type { Previewer } from "despacho";

/** Loads the package, apart from the first page; `null` where this build of the panel was made without it. */
export async function load(): Promise<Package | null> {
  // The replacement of the package has no functions.
  const found: { createPreviewer: Package["createPreviewer"] | null } = await import("despacho");
  return found.createPreviewer === null ? null : (found as Package);
}

/** The problem document of the core, thrown by the package. */
export function problemOf(thrown: unknown): Problem | null {
  const problem = (thrown as { problem?: Problem } | null)?.problem;
  return problem?.code === undefined ? null : problem;
}
