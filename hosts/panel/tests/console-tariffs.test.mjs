// The operator's pages for tariffs: versions, the editor with its checks, prices, past orders, and activation.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  LOOKS,
  closingDefects,
  defects,
  goTo,
  launch,
  request,
  screenshot,
  uniqueCode,
} from "./browser.mjs";
import { sendAfterLostNetwork } from "./form-checks.mjs";
import { TOKEN, openConsole } from "./operator.mjs";

let browser;
let page;
let context;
let pageErrors;
before(async () => {
  browser = await launch();
  ({ page, context, pageErrors } = await openConsole(browser));
});
after(() => browser.close());

const list = async () => (await request(TOKEN, "GET", "/admin/tariffs")).body.tariffs;
const current = async () => (await list()).find((one) => one.state === "CURRENT");
const row = (name) => page.locator("tbody tr", { hasText: name });
const copy = (name) =>
  row(name)
    .getByRole("button", { name: /^Copiar para o rascunho/ })
    .click();
const valid = () => page.getByText("O rascunho é válido.").waitFor();
const version = () => uniqueCode("T").replaceAll(/[^A-Z0-9-]/g, "");
const first = () => page.locator(".prices tbody tr").first().locator("td").first();

async function openDraft() {
  await goTo(page, "/tariffs");
  const found = await current();
  await row(found.tariff.version).first().waitFor();
  await copy(found.tariff.version);
  await page.waitForSelector("#f-tariff-baseFee");
  return found;
}

/** Creates a scheduled tariff. */
async function schedule() {
  const { tariff } = await current();
  const effectiveFrom = new Date(Date.now() + 90 * 86_400_000).toISOString();
  const made = await request(TOKEN, "POST", "/admin/tariffs", {
    tariff: { ...tariff, version: version() },
    effectiveFrom,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

async function discard() {
  await page.getByRole("button", { name: "Descartar o rascunho" }).click();
  await page.locator("dialog[open] .button.danger").click();
  await page.waitForFunction(() => location.hash === "#/tariffs");
}

test("editor shows the server's errors at their fields while the operator types", async () => {
  await openDraft();
  await page.fill("#f-tariff-version", version());
  await page.fill("#f-tariff-baseFee", "dez");
  await page.locator("#f-tariff-baseFee-error").getByText("Digite um número, como 7,90.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Pôr em vigor" }).isDisabled(), true);
  await page.fill("#f-tariff-baseFee", "10001");
  await page.waitForFunction(() =>
    /10[.,]?000/.test(document.querySelector("#f-tariff-baseFee-error")?.textContent ?? ""),
  );
  await page.fill("#f-tariff-baseFee", "9,25");
  await page.locator("#f-tariff-baseFee-error").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Adicionar acréscimo" }).click();
  const at = (await page.locator("fieldset.rule").count()) - 1;
  await page.waitForSelector(`#f-tariff-windows-${at}-name-error`);
  await page.fill(`#f-tariff-windows-${at}-name`, "almoço");
  await page.fill(`#f-tariff-windows-${at}-percent`, "501");
  await page.waitForSelector(`#f-tariff-windows-${at}-percent-error`);
  await page.fill(`#f-tariff-windows-${at}-percent`, "12,5");
  await valid();
  await page.getByText("Em vigor: ").first().waitFor();
  await page.getByRole("button", { name: `Remover o acréscimo ${at + 1}` }).click();
  await page.getByRole("button", { name: "Adicionar veículo" }).click();
  await page.waitForSelector("#f-tariff-vehicles-0-fee-error");
  await page.selectOption("#f-tariff-vehicles-0-vehicle", "MOTORBIKE_BOX");
  await page.fill("#f-tariff-vehicles-0-fee", "3,50");
  await valid();
  const before = await first().innerText();
  await page.selectOption("#f-samples-vehicle", "CAR");
  await page.waitForFunction(
    (text) => document.querySelector(".prices tbody td")?.innerText !== text,
    before,
  );
  await page.getByRole("button", { name: "Remover o veículo 1" }).click();
  await page.selectOption("#f-samples-vehicle", "");
});

test("prices of samples compare the draft with the tariff in force", async () => {
  const { tariff } = await current();
  await page.fill("#f-tariff-minimumFee", "0");
  await page.fill("#f-tariff-baseFee", String(Number(tariff.baseFee) + 1).replace(".", ","));
  await page.fill("#f-samples-distances", "1; 4,5");
  await page.fill("#f-samples-times", "12:00; 15:30; 16:00");
  await page.waitForFunction(() => document.querySelectorAll(".prices tbody td").length === 6);
  await valid();
  await first().getByText("(+R$").waitFor();
  assert.match(await first().innerText(), /\+R\$\s1,00/);
  assert.deepEqual(await page.locator(".prices tbody th").allInnerTexts(), ["1,00 km", "4,50 km"]);
  // Orders over the longest route have no price.
  await page.fill("#f-tariff-maxDistanceKm", "4");
  await page
    .locator(".prices tbody tr")
    .last()
    .locator("td strong")
    .first()
    .getByText("fora do limite")
    .waitFor();
  await page.fill("#f-tariff-maxDistanceKm", String(tariff.maxDistanceKm).replace(".", ","));
  await page.fill("#f-samples-times", "25:00");
  await page.waitForSelector(".field.invalid #f-samples-times");
  await page.fill("#f-samples-times", "12:00");
});

test("draft survives a reload and a lost network", async () => {
  const typed = await page.inputValue("#f-tariff-baseFee");
  await page.reload();
  await page.waitForSelector("#f-tariff-baseFee");
  assert.equal(await page.inputValue("#f-tariff-baseFee"), typed);
  await valid();
  await context.setOffline(true);
  await page.fill("#f-tariff-perKm", "3,33");
  await page.getByText("Não foi possível conectar ao servidor.").waitFor();
  await context.setOffline(false);
  await valid();
  assert.equal(await page.inputValue("#f-tariff-perKm"), "3,33");
  // The list offers the draft, and does not replace it without a confirmation.
  await goTo(page, "/tariffs");
  await page.getByRole("link", { name: "Continuar o rascunho" }).waitFor();
  await copy((await current()).tariff.version);
  await page.locator("dialog[open]").getByText("Substituir o rascunho?").waitFor();
  await page.keyboard.press("Escape");
  await goTo(page, "/tariffs/draft");
  assert.equal(await page.inputValue("#f-tariff-perKm"), "3,33");
});

test("a tariff can be pasted as JSON", async () => {
  const { tariff } = await current();
  const name = version();
  await page.getByText("JSON", { exact: true }).first().click();
  const apply = async (text) => {
    await page.fill("#f-json", text);
    await page.getByRole("button", { name: "Usar este JSON" }).click();
  };
  for (const [text, expected] of [
    ["{", "Isto não é um objeto JSON."],
    [JSON.stringify({ ...tariff, bonus: 1 }), "Campos desconhecidos: bonus."],
    [JSON.stringify({ ...tariff, perKm: undefined }), "Campos ausentes: perKm."],
  ]) {
    await apply(text);
    await page.locator("#f-json-error").getByText(expected).waitFor();
  }
  await apply(
    JSON.stringify({
      tariff: {
        ...tariff,
        version: name,
        baseFee: 12.34,
        windows: [
          { name: "noite", days: ["mon", "Sunday"], from: "20:00", until: "06:00", percent: 7.5 },
        ],
      },
    }),
  );
  await page.waitForFunction(() => document.querySelector("#f-tariff-baseFee").value === "12,34");
  assert.equal(await page.inputValue("#f-tariff-version"), name);
  assert.deepEqual(
    [
      await page.inputValue("#f-tariff-windows-0-percent"),
      await page.inputValue("#f-tariff-windows-0-from"),
    ],
    ["7,5", "20:00"],
  );
  assert.deepEqual(
    await page
      .locator(".weekdays label:has(input:checked)")
      .allInnerTexts()
      .then((all) => all.map((one) => one.trim())),
    ["seg", "dom"],
  );
  await valid();
  await discard();
});

test("past orders are compared, and warnings are prominent", async () => {
  await openDraft();
  await page.fill("#f-tariff-version", version());
  await page.fill("#f-days", "93");
  await page.waitForSelector(".field.invalid #f-days");
  await page.fill("#f-days", "7");
  // A store that does not exist, and one that is not chosen from the list.
  const store = page.getByLabel("Loja");
  await store.fill("#999999999");
  await page.getByRole("button", { name: "Calcular" }).click();
  await page.waitForSelector("#store-error");
  assert.deepEqual(
    [await store.getAttribute("aria-invalid"), await store.getAttribute("aria-describedby")],
    ["true", "store-error"],
  );
  assert.equal(await page.locator(".error-box").count(), 0);
  await store.fill("Cantina");
  await page.locator("#store-error").getByText("Escolha uma loja da lista.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Calcular" }).isDisabled(), true);
  await store.fill("");
  await page.waitForSelector("#store-error", { state: "detached" });
  await page.getByRole("button", { name: "Calcular" }).click();
  await page.getByTestId("what-if").waitFor();
  await page.fill("#f-tariff-baseFee", "8,88");
  await page.getByText("O rascunho mudou depois desta comparação.").waitFor();

  // Two hundred thousand orders, and a draft that rejects some, need more data than a test has.
  const compared = {
    storeId: 1000,
    storeName: "Cantina",
    orders: 9,
    currentFee: 90,
    draftFee: 80.5,
    difference: -9.5,
    outOfRange: 2,
  };
  const json = {
    from: "2026-11-01T03:00:00Z",
    until: "2026-11-08T03:00:00Z",
    orders: 9,
    currentFee: 90,
    draftFee: 80.5,
    difference: -9.5,
    outOfRange: 2,
    partial: true,
    stores: [compared],
  };
  await page.route("**/admin/tariffs/what-if", (route) => route.fulfill({ json }));
  await page.getByRole("button", { name: "Calcular" }).click();
  await page.locator("[role=alert]").getByText("A comparação está incompleta").waitFor();
  await page.locator("[role=alert]").getByText("O rascunho recusaria 2 destes pedidos").waitFor();
  assert.match(
    await page.getByTestId("what-if").locator("tbody tr").innerText(),
    /Cantina #1000\s+9\s+R\$\s90,00\s+R\$\s80,50\s+-R\$\s9,50\s+2/,
  );
  await screenshot(page, "console-tariff");
  await page.unroute("**/admin/tariffs/what-if");
  await discard();
});

test("activation shows the total, schedules the tariff, and a scheduled one can be deleted", async () => {
  const { tariff } = await openDraft();
  assert.notEqual(
    await page.inputValue("#f-tariff-version"),
    tariff.version,
    "the draft has a version of its own",
  );
  await page.fill("#f-tariff-version", tariff.version);
  await page.fill("#f-tariff-baseFee", "9,99");
  await valid();
  // The version of another tariff is an error of its field, also after the confirmation.
  await page.getByRole("button", { name: "Pôr em vigor" }).click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByTestId("summary").waitFor();
  await dialog.getByRole("button", { name: "Pôr em vigor" }).click();
  await page.locator("#f-tariff-version-error").waitFor();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.inputValue("#f-tariff-version"), tariff.version);

  const name = version();
  await page.fill("#f-tariff-version", name);
  await page.locator("#f-tariff-version-error").waitFor({ state: "detached" });
  await valid();
  await page.getByRole("button", { name: "Pôr em vigor" }).click();
  await dialog.getByText(`Pôr a tarifa ${name} em vigor?`).waitFor();
  await dialog.getByTestId("summary").waitFor();
  const year = new Date().getUTCFullYear();
  await page.fill("#f-effectiveFrom", `${year + 2}-01-01T08:00`);
  await dialog.getByRole("button", { name: "Pôr em vigor" }).click();
  await page.waitForSelector("#f-effectiveFrom-error");
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await page.fill("#f-effectiveFrom", `${soon}T08:00`);
  await sendAfterLostNetwork(page, dialog.locator("form"));
  await row(name).getByText("Agendada").waitFor();
  assert.equal(
    await page.getByRole("link", { name: "Continuar o rascunho" }).count(),
    0,
    "the draft is used up",
  );
  const stored = (await list()).find((one) => one.tariff.version === name);
  assert.equal(stored.state, "SCHEDULED");
  assert.equal(stored.tariff.baseFee, "9.99");
  await row(name)
    .getByRole("button", { name: /^Excluir/ })
    .click();
  await page.locator("dialog[open] .button.danger").click();
  await row(name).waitFor({ state: "detached" });
  assert.equal(
    (await list()).some((one) => one.tariff.version === name),
    false,
  );
});

for (const { device, colorScheme, ...options } of LOOKS) {
  test(`list, editor and confirmation look right: ${device}, ${colorScheme}, ${options.locale}`, async () => {
    const opened = await openConsole(browser, { ...options, colorScheme });
    const found = [];
    const check = async (name) =>
      found.push(...(await defects(opened.page, `console-${name}`, `${device}-${colorScheme}`)));
    await goTo(opened.page, "/tariffs/draft");
    await check("tariff-none");
    await goTo(opened.page, "/tariffs");
    await opened.page.waitForSelector(".table");
    await check("tariffs");
    await opened.page.locator(".actions-cell .button").last().click();
    await opened.page.waitForSelector(".prices:not(.old)");
    await opened.page.fill("#f-tariff-perKm", "1001");
    await opened.page.waitForSelector("#f-tariff-perKm-error");
    await check("tariff-rejected");
    await opened.page.fill("#f-tariff-perKm", "2");
    await opened.page.waitForSelector("#f-tariff-perKm-error", { state: "detached" });
    await opened.page.locator("[aria-labelledby=what-if] .button").click();
    await opened.page.getByTestId("what-if").waitFor();
    await opened.page.waitForSelector(".prices:not(.old)");
    await opened.page.locator(".tariff summary").click();
    await check("tariff-draft");
    await opened.page.locator(".tariff .button.primary").click();
    await opened.page.getByTestId("summary").waitFor();
    await check("dialog-tariff");
    found.push(...(await closingDefects(opened.page, "dialog-tariff")));
    await opened.page.locator(".sections > .row .button:not(.primary)").click();
    await check("dialog-tariff-discard");
    found.push(...(await closingDefects(opened.page, "dialog-tariff-discard")));
    const scheduled = await schedule();
    await goTo(opened.page, "/tariffs");
    for (const [name, at] of [
      ["copy", 0],
      ["remove", 1],
    ]) {
      await opened.page
        .locator("tr", { hasText: scheduled.tariff.version })
        .locator(".actions-cell .button")
        .nth(at)
        .click();
      await check(`dialog-tariff-${name}`);
      found.push(...(await closingDefects(opened.page, `dialog-tariff-${name}`)));
    }
    await request(TOKEN, "DELETE", `/admin/tariffs/${scheduled.id}`);
    assert.deepEqual(found, []);
    assert.deepEqual(opened.pageErrors, []);
    await opened.context.close();
  });
}

test("pages have no errors", () => {
  assert.deepEqual(pageErrors, []);
});
