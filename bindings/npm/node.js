// For Node.js: module and gazetteer are read from beside this file, or given to `load` as bytes.
import { readFile } from "node:fs/promises";
import { initSync } from "./despacho_wasm.js";
import * as wasm from "./despacho_wasm.js";
import { surface } from "./core.js";

const beside = (name) => readFile(new URL(name, import.meta.url));

export { DespachoError } from "./core.js";
export const { load, createPreviewer, validateOrder, validateStore, applyEvent, lookupPostcode, bestRoute, assign } = surface(
  async (source) => {
    initSync({ module: source ?? (await beside("./despacho_wasm_bg.wasm")) });
    return wasm;
  },
  async (source) => source ?? beside("./gazetteer.bin"),
);
