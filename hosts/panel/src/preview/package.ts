/** Access to the npm package from bindings/npm. */

import type { Problem } from "../api/wire";

export type Package = typeof import("despacho");
export type { Previewer } from "despacho";

/** Loads the package on demand; returns `null` if this build of the panel has none. */
export async function load(): Promise<Package | null> {
  const module: { createPreviewer: Package["createPreviewer"] | null } = await import("despacho");
  return module.createPreviewer === null ? null : (module as Package);
}

/** Returns the problem document of an error thrown by the package, or `null` for other errors. */
export function problemOf(thrown: unknown): Problem | null {
  const problem = (thrown as { problem?: Problem } | null)?.problem;
  return problem?.code === undefined ? null : problem;
}
