// Compares the package's routes and assignments with the native core's. DESPACHO_ROUTES is the output file of
// `cargo run -p despacho-bench --no-default-features -- responses`; DESPACHO_PACKAGE is the folder of the package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const { DESPACHO_PACKAGE: folder, DESPACHO_ROUTES: file } = process.env;
const skip = folder && file ? false : "DESPACHO_PACKAGE and DESPACHO_ROUTES are not set";

async function resultOf(call, request) {
  try {
    return JSON.stringify(await call(request));
  } catch (error) {
    assert.ok(error instanceof Error && error.code, String(error));
    return error.code;
  }
}

test("routes and assignments equal the native results byte for byte", { skip }, async () => {
  const { bestRoute, assign } = await import(new URL("node.js", pathToFileURL(`${folder}/`)));
  const cases = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const { kind, request, response } of cases) {
    const result = await resultOf(kind === "route" ? bestRoute : assign, request);
    assert.equal(result, response.error ?? JSON.stringify(response), JSON.stringify(request));
  }
  assert.ok(cases.length > 1_000, `${cases.length} cases are too few`);
});
