// Entry point for Node.js: reads module and gazetteer from this folder, unless `load` gets their bytes.
import { readFile } from "node:fs/promises";
import { initSync } from "./despacho_wasm.js";
import * as wasm from "./despacho_wasm.js";
import { createPackage } from "./core.js";

const readSibling = (name) => readFile(new URL(name, import.meta.url));

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
    initSync({ module: source ?? (await readSibling("./despacho_wasm_bg.wasm")) });
    return wasm;
  },
  async (source) => source ?? readSibling("./gazetteer.bin"),
);
