// The package's orders of visit and assignments against the native core's. Those come from
// `cargo run -p despacho-bench --no-default-features -- answers`, in the file that DESPACHO_ROUTES names; the package is in
// the folder that DESPACHO_PACKAGE names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const { DESPACHO_PACKAGE: folder, DESPACHO_ROUTES: file } = process.env;
const skip = folder && file ? false : "DESPACHO_PACKAGE and DESPACHO_ROUTES name what is to be compared";

async function answered(ask, question) {
  try {
    return JSON.stringify(await ask(question));
  } catch (error) {
    assert.ok(error instanceof Error && error.code, String(error));
    return error.code;
  }
}

test("every order and every assignment is the native core's, byte for byte", { skip }, async () => {
  const { bestRoute, assign } = await import(new URL("node.js", pathToFileURL(`${folder}/`)));
  const cases = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  for (const { what, question, answer } of cases) {
    const given = await answered(what === "route" ? bestRoute : assign, question);
    assert.equal(given, answer.error ?? JSON.stringify(answer), JSON.stringify(question));
  }
  assert.ok(cases.length > 1_000, `${cases.length} cases are too few`);
});
