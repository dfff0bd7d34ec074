import { defineConfig } from "vite";

/** Where `npm run dev` finds the API; a served panel finds it beside itself. */
const API = process.env["DESPACHO_API"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    // Data URLs would need a wider content security policy than files do.
    assetsInlineLimit: 0,
    // Polyfills for preloading are for browsers without modules.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/delivery": API, "/openapi.json": API } },
});
