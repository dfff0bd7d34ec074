// Entry point for pages, bundlers and workers: fetches module and gazetteer from this folder, or from the sources passed to `load`.
import init, * as wasm from "./despacho_wasm.js";
import { createPackage } from "./core.js";

async function fetchBytes(source) {
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok)
    throw new Error(
      `the gazetteer could not be loaded: HTTP ${response.status} from ${response.url}`,
    );
  return response.arrayBuffer();
}

export { DespachoError } from "./core.js";
export const {
  load,
  createPreviewer,
  validateOrder,
  validateStore,
  applyEvent,
  lookupPostcode,
  bestRoute,
  assign,
} = createPackage(
  async (source) => {
    await init({ module_or_path: source ?? new URL("./despacho_wasm_bg.wasm", import.meta.url) });
    return wasm;
  },
  async (source) => {
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
    return fetchBytes(source ?? new URL("./gazetteer.bin", import.meta.url));
  },
);
