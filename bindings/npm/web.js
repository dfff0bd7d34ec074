// For pages, bundlers and workers: the module is fetched from beside this file, or from where `load` is told.
import init, * as wasm from "./despacho_wasm.js";
import { surface } from "./core.js";

export { DespachoError } from "./core.js";
export const { load, createPreviewer, validateOrder, validateStore, lookupPostcode, bestRoute, assign } = surface(
  async (source) => {
    await init({ module_or_path: source ?? new URL("./despacho_wasm_bg.wasm", import.meta.url) });
    return wasm;
  },
);
