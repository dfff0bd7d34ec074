// The report by day: figures, period, store, keyboard, file and paper.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import {
  VERGUEIRO,
  api,
  goTo,
  launch,
  openLoggedIn,
  printed,
  screenshot,
  uniqueCode,
} from "./browser.mjs";

let browser;
let page;
let pageErrors;
let order;
before(async () => {
  browser = await launch();
  ({ page, pageErrors } = await openLoggedIn(browser));
  const deliveries = [
    { name: "Maria Silva", phone: "+5511990000201", onlinePayment: true, address: VERGUEIRO },
  ];
  const made = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("REL"),
    preparationTime: 120,
    pickupAddress: VERGUEIRO,
    deliveries,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  order = made.body;
});
after(async () => {
  await api(page, "POST", "/delivery/orders/cancel", { orderId: order.id });
  await browser.close();
});

const total = (name) =>
  page
    .locator(".totals .fact", { has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .innerText();
const parameter = (name) =>
  page.evaluate((key) => new URLSearchParams(location.hash.split("?")[1]).get(key), name);
const storeId = () =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")).storeId);

/** Reads the report as JSON; the helper of the other tests does not choose a media type. */
const report = (query) =>
  page.evaluate(async (to) => {
    const key = JSON.parse(sessionStorage.getItem("despacho.session")).key;
    return (
      await fetch(`/delivery/reports/days${to}`, {
        headers: { "x-api-token": key, accept: "application/json" },
      })
    ).json();
  }, query);

async function downloaded() {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Baixar CSV" }).click(),
  ]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

test("report shows the server's figures, and the file contains the same", async () => {
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.locator(".chart").first().waitFor();
  const { days } = await report("");
  const sum = (name, entries = days) => entries.reduce((all, one) => all + one[name], 0);
  assert.ok(sum("created") > 0);
  assert.equal(Number(await total("Pedidos")), sum("created"));
  assert.equal(Number(await total("Cancelados")), sum("cancelled"));

  const all = await downloaded();
  assert.equal(all.text.replace("\uFEFF", "").trim().split("\r\n").length, days.length + 1);
  // The server's report of a parent store contains its branches; the page shows the store by itself.
  const own = await storeId();
  await page.selectOption("select", own);
  const entries = days.filter((one) => String(one.storeId) === own);
  assert.ok(entries.length < days.length);
  await page.waitForFunction(
    (expected) => document.querySelector(".totals dd")?.textContent === expected,
    String(sum("created", entries)),
  );
  const one = await downloaded();
  assert.match(one.name, new RegExp(`^despacho-${own}-`));
  const [head, ...lines] = one.text.trimEnd().split("\r\n");
  assert.match(head, /^\uFEFFDia;Loja;Criados;/);
  assert.deepEqual(
    lines.map((line) => line.split(";")[1]),
    entries.map(() => own),
  );
  // The route keeps the filter.
  await page.reload();
  await page.locator(".chart").first().waitFor();
  assert.equal(await page.inputValue("select"), own);
});

test("period has at most 92 days, and an empty one is explained", async () => {
  await goTo(page, "/reports");
  await page.getByRole("button", { name: "7 dias" }).click();
  await page.waitForFunction(() => location.hash.includes("from="));
  const days = async () =>
    (Date.parse(await parameter("to")) - Date.parse(await parameter("from"))) / 86_400_000 + 1;
  assert.equal(await days(), 7);
  await page.getByLabel("De", { exact: true }).fill("2026-01-01");
  await page.getByText("Nenhum pedido neste período.").waitFor();
  assert.equal(await days(), 92);
  assert.equal(await parameter("from"), "2026-01-01");
  await page.getByLabel("Até", { exact: true }).fill("2026-03-31");
  await page.waitForFunction(() => location.hash.includes("to=2026-03-31"));
  assert.equal(await days(), 90);
  // A route with impossible days shows a possible period.
  await goTo(page, "/reports?from=2020-01-01&to=2026-01-31");
  await page.getByText("Nenhum pedido neste período.").waitFor();
  assert.equal(await page.getByLabel("De", { exact: true }).inputValue(), "2026-01-02");
});

test("figures of several stores are combined, and charts work with the keyboard", async () => {
  // Days before today, which a new server cannot have.
  const entry = (day, storeId, created, delivered, meanMinutes, p90Minutes, latePercent) => ({
    day,
    storeId,
    created,
    delivered,
    cancelled: created - delivered,
    failed: 0,
    fees: delivered * 10.5,
    meanMinutes,
    p90Minutes,
    late: 0,
    latePercent,
  });
  const own = Number(await storeId());
  const days = [
    entry("2026-03-01", own, 30, 30, 20, 40, 10),
    entry("2026-03-01", own + 1, 12, 10, 40, 60, 50),
    entry("2026-03-03", own, 5, 0, null, null, null),
  ];
  await page.route("**/delivery/reports/days*", (route) => route.fulfill({ json: { days } }));
  await goTo(page, "/reports?from=2026-03-01&to=2026-03-04");
  const minutes = page.getByRole("slider", { name: /^Minutos até a entrega/ });
  await minutes.focus();
  assert.equal(
    await minutes.getAttribute("aria-valuetext"),
    "04/03, Média: sem valor, 90 de cada 100 em até: sem valor",
  );
  await page.keyboard.press("Home");
  assert.equal(
    await minutes.getAttribute("aria-valuetext"),
    "01/03, Média: 25 min, 90 de cada 100 em até: 60 min",
  );
  await page.keyboard.press("ArrowRight");
  assert.match(await minutes.getAttribute("aria-valuetext"), /^02\/03, Média: sem valor/);
  const bars = page.getByRole("slider", { name: /^Pedidos por dia/ });
  const box = await bars.locator("svg").boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
  assert.equal(
    await bars.getAttribute("aria-valuetext"),
    "01/03, Entregues: 40, Em andamento: 0, Cancelados: 2, Não entregues: 0",
  );
  assert.equal(await bars.locator(".bar").count(), 3);
  await page.getByText("Tabela por dia").click();
  const rows = await page
    .getByRole("table", { name: "Tabela por dia" })
    .locator("tbody tr")
    .allInnerTexts();
  assert.equal(rows.length, 4);
  assert.match(rows[0], /01\/03\/2026\s+42\s+40\s+2\s+0\s+R\$\s420,00\s+25 min\s+60 min\s+20 %/);
  await screenshot(page, "reports-stores");
});

test("paper shows the charts without the menu", async () => {
  const text = await printed(page, "reports");
  assert.ok(text.startsWith("%PDF"));
  await page.emulateMedia({ media: "print" });
  for (const hidden of [".side", ".filters", ".page-aside"])
    assert.equal(await page.locator(hidden).isVisible(), false, hidden);
  assert.equal(await page.locator(".chart svg").first().isVisible(), true);
  await page.getByText("Todas as lojas, 01/03/2026 a 04/03/2026").waitFor();
  await page.emulateMedia({ media: null });
  await page.unroute("**/delivery/reports/days*");
});

test("pages have no errors", () => {
  assert.deepEqual(pageErrors, []);
});
