// Compares the package's previews with the service's, byte for byte. DESPACHO_PREVIEWS is the output file of
// `cargo run -p despacho-conformance --bin previews`; DESPACHO_PACKAGE is the folder of the package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.env.DESPACHO_PACKAGE}/`);
const { createPreviewer, DespachoError } = await import(new URL("node.js", folder));
const lines = readFileSync(process.env.DESPACHO_PREVIEWS, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const [{ context }, ...cases] = lines;

function runPreview(previewer, { request, now, language }) {
  try {
    return { status: 200, answer: previewer.previewText(request, { now, language }) };
  } catch (error) {
    assert.ok(error instanceof DespachoError, String(error));
    return { status: error.problem.status, answer: JSON.stringify(error.problem) };
  }
}

test("previews equal the service's previews byte for byte", async () => {
  const previewer = await createPreviewer(context);
  for (const expected of cases) {
    const { status, answer } = runPreview(previewer, expected);
    assert.deepEqual({ status, answer }, { status: expected.status, answer: expected.answer }, expected.request);
  }
  const good = cases.filter((expected) => expected.status === 200).length;
  console.log(`${cases.length} previews are equal: ${good} calculated, ${cases.length - good} rejected`);
  assert.ok(good > cases.length / 4 && good < cases.length, "the cases contain successes and errors");
});

test("preview of an object equals the preview of its text", async () => {
  const previewer = await createPreviewer(JSON.parse(context));
  for (const expected of cases.filter((one) => one.status === 200).slice(0, 200)) {
    const view = previewer.preview(JSON.parse(expected.request), { now: new Date(expected.now), language: expected.language });
    assert.equal(JSON.stringify(view), expected.answer);
  }
});
