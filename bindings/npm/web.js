// For pages, bundlers and workers: module and gazetteer are fetched from beside this file, or from where `load` is told.
import init, * as wasm from "./despacho_wasm.js";
import { surface } from "./core.js";

async function fetched(source) {
  const answer = source instanceof Response ? source : await fetch(source);
  if (!answer.ok) throw new Error(`the gazetteer could not be loaded: HTTP ${answer.status} from ${answer.url}`);
  return answer.arrayBuffer();
}

export { DespachoError } from "./core.js";
export const { load, createPreviewer, validateOrder, validateStore, applyEvent, lookupPostcode, bestRoute, assign } = surface(
  async (source) => {
    await init({ module_or_path: source ?? new URL("./despacho_wasm_bg.wasm", import.meta.url) });
    return wasm;
  },
  async (source) => {
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
    return fetched(source ?? new URL("./gazetteer.bin", import.meta.url));
  },
);
