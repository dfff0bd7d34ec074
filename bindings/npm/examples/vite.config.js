import path from "node:path";
import vue from "@vitejs/plugin-vue";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The folder that `cargo run -p despacho-xtask -- package` writes. A shop installs the package instead and needs no alias.
const despacho = path.resolve(process.env.DESPACHO_PACKAGE ?? "../../../target/package");

export default defineConfig({
  base: "./",
  resolve: { alias: { "despacho/preview-element": path.join(despacho, "preview-element.js") } },
  plugins: [
    react(),
    vue({
      template: { compilerOptions: { isCustomElement: (tag) => tag === "despacho-preview" } },
    }),
  ],
  build: {
    rollupOptions: { input: ["react/index.html", "vue/index.html"] },
    target: "es2022",
    emptyOutDir: true,
  },
});
