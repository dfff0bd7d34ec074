import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** The API for `npm run dev`; a served panel calls the API on its own origin. */
const API = process.env.DESPACHO_API ?? "http://127.0.0.1:8080";

const here = path.dirname(fileURLToPath(import.meta.url));
/** The npm package, built by `cargo run -p despacho-xtask -- package`. */
const core = path.join(
  process.env.DESPACHO_PACKAGE ?? path.join(here, "../../target/package"),
  "web.js",
);
if (!existsSync(core))
  console.warn("npm package not found: the panel requests all prices from the server");

/** The entry of the courier's service worker. Its path must not change, so its name has no hash. */
const WORKER = "courier-sw";

/** Inserts the files of the courier's app, and a hash of them, into its service worker: a changed file leads to a new worker. */
function serviceWorker(): Plugin {
  return {
    name: "courier-service-worker",
    generateBundle(_, bundle) {
      const worker = bundle[`${WORKER}.js`];
      const page = Object.values(bundle).find(
        (one) => one.type === "chunk" && one.facadeModuleId?.endsWith("courier.html") === true,
      );
      if (worker?.type !== "chunk" || page === undefined)
        throw new Error("the courier's app has no page or no service worker");
      const files = new Set<string>();
      const add = (name: string) => {
        const chunk = bundle[name];
        if (chunk === undefined || files.has(name)) return;
        files.add(name);
        if (chunk.type !== "chunk") return;
        for (const other of [
          ...chunk.imports,
          ...chunk.dynamicImports,
          ...(chunk.viteMetadata?.importedCss ?? []),
        ])
          add(other);
      };
      add(page.fileName);
      const paths = [...files, "icon.svg", "courier.webmanifest", "courier-192.png"]
        .map((name) => `/${name}`)
        .sort();
      const hash = createHash("sha256")
        .update(JSON.stringify(paths))
        .update(readFileSync(path.join(here, "courier.html")));
      worker.code = worker.code
        .replaceAll("__FILES__", JSON.stringify(paths))
        .replaceAll("__VERSION__", JSON.stringify(hash.digest("hex").slice(0, 12)));
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [serviceWorker()],
  resolve: {
    alias: {
      "despacho/lifecycle": path.join(here, "types/lifecycle.ts"),
      despacho: existsSync(core) ? core : path.join(here, "src/preview/absent.ts"),
    },
  },
  build: {
    target: "es2022",
    // The content security policy permits no data URLs for assets.
    assetsInlineLimit: 0,
    // Browsers without module preloading load the modules later; a polyfill is not needed.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        index: path.join(here, "index.html"),
        courier: path.join(here, "courier.html"),
        admin: path.join(here, "admin.html"),
        [WORKER]: path.join(here, "src/courier/worker.ts"),
      },
      output: {
        entryFileNames: (chunk) =>
          chunk.name === WORKER ? "[name].js" : "assets/[name]-[hash].js",
      },
    },
  },
  server: {
    proxy: { "/delivery": API, "^/courier/": API, "^/admin/": API, "/openapi.json": API },
    fs: { allow: [here, path.dirname(core)] },
  },
});
