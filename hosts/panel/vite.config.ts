import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The API for `npm run dev`; a served panel calls the API on its own origin. */
const API = process.env["DESPACHO_API"] ?? "http://127.0.0.1:8080";

const here = path.dirname(fileURLToPath(import.meta.url));
/** The npm package, built by `cargo run -p despacho-xtask -- package`. */
const core = path.join(process.env["DESPACHO_PACKAGE"] ?? path.join(here, "../../target/package"), "web.js");
if (!existsSync(core)) console.warn("npm package not found: the panel requests all prices from the server");

export default defineConfig({
  base: "./",
  resolve: { alias: { despacho: existsSync(core) ? core : path.join(here, "src/preview/absent.ts") } },
  build: {
    target: "es2022",
    // The content security policy permits no data URLs for assets.
    assetsInlineLimit: 0,
    // Browsers without module preloading load the modules later; a polyfill is not needed.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/delivery": API, "/openapi.json": API }, fs: { allow: [here, path.dirname(core)] } },
});
