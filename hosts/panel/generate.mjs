// Writes what tsconfig.json takes from the folder `types`: the npm package's types, generated from core/openapi.json, and the
// courier's part of the lifecycle table, from the page that the core generates from it.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const from = process.env.DESPACHO_PACKAGE ?? path.join(here, "../../target/package");
const to = path.join(here, "types");
const PAGE = path.join(here, "../../core/src/rules/lifecycle/README.md");

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

const rows = courierRows(readFileSync(PAGE, "utf8"));
writeFileSync(
  path.join(to, "lifecycle.ts"),
  `// Generated from core/src/rules/lifecycle/README.md by generate.mjs.
export const LIFECYCLE = ${JSON.stringify(Object.fromEntries(rows), null, 2)} as const;
`,
);

/** Returns the transitions that couriers can cause, by their event. */
function courierRows(page) {
  const lines = page.split("## Steps")[1]?.match(/^\| (order|delivery) \|.*$/gm) ?? [];
  const found = lines.flatMap((line) => {
    const [subject, transition, actors, , event] = line
      .slice(1)
      .split("|")
      .map((cell) => cell.trim());
    if (!actors.split(", ").includes("courier")) return [];
    return [[event, { subject, ...parseTransition(transition) }]];
  });
  if (found.length < 10 || new Set(found.map(([event]) => event)).size !== found.length) {
    throw new Error(`${PAGE}: no table of steps with one row for each event of a courier`);
  }
  return found;
}

/** Parses for example `220 → 300; each delivery 150 → 310`. A status that depends on the deliveries is null. */
function parseTransition(text) {
  const move =
    /^([\d, ]+) → (\d+|derived from its deliveries)(?:; each delivery ([\d, ]+) → (\d+))?$/;
  const parts = move.exec(text);
  if (parts === null) throw new Error(`${PAGE}: not a transition: ${text}`);
  const numbers = (list) => list.split(", ").map(Number);
  const [, before, after, each, then] = parts;
  return {
    from: numbers(before),
    to: /^\d+$/.test(after) ? Number(after) : null,
    each: each === undefined ? null : { from: numbers(each), to: Number(then) },
  };
}
