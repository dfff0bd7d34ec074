// Writes what tsconfig.json takes from the folder `types`: the npm package's types, generated from core/openapi.json, and parts of
// the lifecycle table, which the core writes as JSON.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const from = process.env.DESPACHO_PACKAGE ?? path.join(here, "../../target/package");
const to = path.join(here, "types");
const TRANSITIONS = path.join(here, "../../core/src/rules/lifecycle/transitions.json");

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

const transitions = JSON.parse(readFileSync(TRANSITIONS, "utf8"));
const payments = transitions.filter(({ event }) => event === "delivery.payment_recorded");
if (payments.length !== 1) throw new Error(`${TRANSITIONS}: not one record of a payment`);

/** The transitions that couriers can cause, by their event. The record of a payment changes no status. */
const rows = transitions
  .filter(({ actors, to, each }) => actors.includes("courier") && (to !== null || each !== null))
  .map(({ event, subject, from, to, each }) => [event, { subject, from, to, each }]);
if (new Set(rows.map(([event]) => event)).size !== rows.length)
  throw new Error(`${TRANSITIONS}: an event of couriers has two rows`);
writeFileSync(
  path.join(to, "lifecycle.ts"),
  `// Generated from core/src/rules/lifecycle/transitions.json by generate.mjs.
/** The situations of a delivery in which its payment can be recorded. */
export const PAYABLE: readonly number[] = ${JSON.stringify(payments[0].from)};

export const LIFECYCLE = ${JSON.stringify(Object.fromEntries(rows), null, 2)} as const;
`,
);
