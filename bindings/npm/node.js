// For Node.js: the module is read from beside this file, or given to `load` as bytes.
import { readFile } from "node:fs/promises";
import { initSync } from "./despacho_wasm.js";
import * as wasm from "./despacho_wasm.js";
import { surface } from "./core.js";

export { DespachoError } from "./core.js";
export const { load, createPreviewer, validateOrder, validateStore, lookupPostcode, bestRoute, assign } = surface(
  async (source) => {
    initSync({ module: source ?? (await readFile(new URL("./despacho_wasm_bg.wasm", import.meta.url))) });
    return wasm;
  },
);
