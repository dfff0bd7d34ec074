import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** Where `npm run dev` finds the API; a served panel finds it at its own origin. */
const API = process.env["DESPACHO_API"] ?? "http://127.0.0.1:8080";

const here = path.dirname(fileURLToPath(import.meta.url));
/** The browser package, as `cargo run -p despacho-xtask -- package` makes it. */
const core = path.join(process.env["DESPACHO_PACKAGE"] ?? path.join(here, "../../target/package"), "web.js");
if (!existsSync(core)) console.warn("the browser package was not built: this panel requests prices from the server");

export default defineConfig({
  base: "./",
  resolve: { alias: { despacho: existsSync(core) ? core : path.join(here, "src/preview/absent.ts") } },
  build: {
    target: "es2022",
    // Data URLs would need a wider content security policy than files do.
    assetsInlineLimit: 0,
    // Polyfills for preloading are for browsers without modules.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/delivery": API, "/openapi.json": API }, fs: { allow: [here, path.dirname(core)] } },
});
