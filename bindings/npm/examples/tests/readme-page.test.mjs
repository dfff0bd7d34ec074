// The first page of the package's README, as printed there, in a browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { NOW, context, createPreviewer, launch, open, screenshot, serve } from "./shop.mjs";

const README = await readFile(path.join(import.meta.dirname, "../../README.md"), "utf8");
const PAGE = /```html\n(<!doctype html>\n.*?)```/s.exec(README)[1];
const money = (amount) =>
  new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" }).format(amount);

let browser;
let shop;
before(async () => {
  [browser, shop] = await Promise.all([launch(), serve({ "/readme.html": PAGE })]);
});
after(async () => {
  await browser?.close();
  shop?.close();
});

test("page of the README shows the price of a CEP and marks it as estimated", async () => {
  const previewer = await createPreviewer(context, { language: "pt-BR" });
  const preview = (zipCode) =>
    previewer.preview({ deliveries: [{ address: { zipCode } }] }, { now: NOW });
  const problem = (zipCode) => {
    try {
      return preview(zipCode);
    } catch (error) {
      return error.problem;
    }
  };
  const { page, errors } = await open(browser, `${shop.base}/readme.html`);
  const shows = (text) => page.locator("output", { hasText: text }).waitFor();
  // Without a pack, the address is known by its city, and its price is a range.
  const { deliveryFee, deliveryFeeMin: min, deliveryFeeMax: max, estimated } = preview("05407-002");
  assert.ok(
    estimated && min < deliveryFee && deliveryFee < max,
    JSON.stringify({ estimated, deliveryFee, min, max }),
  );
  await shows("estimado");
  assert.equal(await page.locator("output").innerText(), `${money(min)} a ${money(max)}, estimado`);
  await screenshot(page, "readme");
  for (const zipCode of ["69900-000", "0130"]) {
    await page.getByLabel("CEP").fill(zipCode);
    await shows(problem(zipCode).errors[0].detail);
    assert.ok(!(await page.locator("output").innerText()).includes("estimado"));
  }
  await page.getByLabel("CEP").fill("01310200");
  await shows("estimado");
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("page of the README has about 20 lines", () =>
  assert.ok(PAGE.trim().split("\n").length <= 22));
