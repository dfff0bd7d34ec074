// The package's previews against the service's, byte for byte. The service's come from `cargo run -p despacho-conformance --bin previews`, in the file
// that DESPACHO_PREVIEWS names; the package is in the folder that DESPACHO_PACKAGE names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.env.DESPACHO_PACKAGE}/`);
const { createPreviewer, DespachoError } = await import(new URL("node.js", folder));
const lines = readFileSync(process.env.DESPACHO_PREVIEWS, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const [{ context }, ...cases] = lines;

function previewed(previewer, { request, now, language }) {
  try {
    return { status: 200, answer: previewer.previewText(request, { now, language }) };
  } catch (error) {
    assert.ok(error instanceof DespachoError, String(error));
    return { status: error.problem.status, answer: JSON.stringify(error.problem) };
  }
}

test("every preview is the service's, byte for byte", async () => {
  const previewer = await createPreviewer(context);
  for (const wanted of cases) {
    const { status, answer } = previewed(previewer, wanted);
    assert.deepEqual({ status, answer }, { status: wanted.status, answer: wanted.answer }, wanted.request);
  }
  const good = cases.filter((wanted) => wanted.status === 200).length;
  console.log(`${cases.length} previews are equal: ${good} calculated, ${cases.length - good} refused`);
  assert.ok(good > cases.length / 4 && good < cases.length, "both kinds are met");
});

test("an object gives what its text gives", async () => {
  const previewer = await createPreviewer(JSON.parse(context));
  for (const wanted of cases.filter((one) => one.status === 200).slice(0, 200)) {
    const view = previewer.preview(JSON.parse(wanted.request), { now: new Date(wanted.now), language: wanted.language });
    assert.equal(JSON.stringify(view), wanted.answer);
  }
});
