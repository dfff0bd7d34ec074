// Copies the npm package's types, generated from core/openapi.json, to the folder that tsconfig.json names.
import { cpSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const from = process.env.DESPACHO_PACKAGE ?? path.join(here, "../../target/package");
const to = path.join(here, "types");

mkdirSync(to, { recursive: true });
for (const name of ["api.d.ts", "index.d.ts"]) {
  const file = path.join(from, name);
  if (!existsSync(file)) {
    throw new Error(
      `${file} is missing: run \`cargo run -p despacho-xtask -- package\`, or with \`--types\` for the types only`,
    );
  }
  cpSync(file, path.join(to, name));
}
