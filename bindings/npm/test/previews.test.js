// Compares the package's previews with the service's, byte for byte. DESPACHO_PREVIEWS is the output file of
// `cargo run -p despacho-conformance --bin previews`; DESPACHO_PACKAGE is the folder of the package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.env.DESPACHO_PACKAGE}/`);
const { createPreviewer, DespachoError } = await import(new URL("node.js", folder));
const lines = readFileSync(process.env.DESPACHO_PREVIEWS, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const contexts = lines.filter((line) => line.context).map((line) => line.context);
const [context] = contexts;
const cases = lines.filter((line) => !line.context);

function runPreview(previewer, { request, now, language }) {
  try {
    return { status: 200, response: previewer.previewText(request, { now, language }) };
  } catch (error) {
    assert.ok(error instanceof DespachoError, String(error));
    return { status: error.problem.status, response: JSON.stringify(error.problem) };
  }
}

test("previews equal the service's previews byte for byte", async () => {
  let previewer;
  for (const expected of lines) {
    if (expected.context) {
      // Each context has other opening hours and another service area.
      previewer = await createPreviewer(expected.context);
      continue;
    }
    const { status, response } = runPreview(previewer, expected);
    assert.deepEqual(
      { status, response },
      { status: expected.status, response: expected.response },
      expected.request,
    );
  }
  const good = cases.filter((expected) => expected.status === 200).length;
  console.log(
    `${cases.length} previews are equal: ${good} calculated, ${cases.length - good} rejected`,
  );
  assert.ok(
    good > cases.length / 6 && good < cases.length,
    "the cases contain successes and errors",
  );
  const count = (text) => cases.filter((expected) => expected.response.includes(text)).length;
  const [closed, outside, late] = ["store_closed", "out_of_area", "window_unreachable"].map(
    (code) => count(`"code":"${code}"`),
  );
  const scheduled = cases.filter(
    (expected) => expected.status === 200 && expected.request.includes("deliverAt"),
  ).length;
  console.log(
    `${contexts.length} stores; ${closed} closed, ${outside} out of the area, ${late} windows unreachable, ${scheduled} scheduled`,
  );
  assert.ok(
    Math.min(closed, outside, late, scheduled) > cases.length / 200,
    "the cases contain hours, areas, windows and scheduled orders",
  );
});

test("preview of an object equals the preview of its text", async () => {
  const previewer = await createPreviewer(JSON.parse(context));
  const end = lines.findIndex((line, at) => at > 0 && line.context);
  for (const expected of lines
    .slice(1, end)
    .filter((one) => one.status === 200)
    .slice(0, 200)) {
    const view = previewer.preview(JSON.parse(expected.request), {
      now: new Date(expected.now),
      language: expected.language,
    });
    assert.equal(JSON.stringify(view), expected.response);
  }
});
