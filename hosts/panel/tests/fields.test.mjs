// Invalid input at its field and lost networks in the settings, the access page, the import and the dialogs; what has the focus when a page opens.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BASE,
  PASSWORD,
  VERGUEIRO,
  api,
  axeViolations,
  confirmSession,
  goTo,
  hold,
  launch,
  open,
  openLoggedIn,
  request,
  screenshot,
  uniqueCnpj,
  uniqueCode,
} from "./browser.mjs";
import { assertShown, at, sendAfterLostNetwork } from "./form-checks.mjs";

let browser;
let page;
let context;
let pageErrors;
/** A branch, so that its settings do not affect the orders of other tests. */
let branch;
before(async () => {
  browser = await launch();
  ({ page, context, pageErrors } = await openLoggedIn(browser));
  const made = await api(page, "POST", "/delivery/stores", {
    name: uniqueCode("Filial"),
    cnpj: uniqueCnpj(),
    email: `${uniqueCode("filial").toLowerCase()}@demo.despacho.example`,
    password: "senha-de-teste",
    currentPassword: PASSWORD,
    responsible: { name: "Bia Rocha", phone: "+551130000000" },
    address: VERGUEIRO,
    marketplaceBranchId: 1,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  branch = Number(made.body.storeId);
  await page.reload();
});
after(() => browser.close());

/** Sends a request to the API in the language of the page. */
const send = (method, to, body) => api(page, method, to, body, "pt-BR");
const email = () => `${uniqueCode("bia").toLowerCase()}@demo.despacho.example`;
const dialog = () => page.locator("dialog[open]");
const dialogForm = () => dialog().locator("form");
const dialogClosed = () => page.waitForSelector("dialog[open]", { state: "detached" });
const saved = () => page.getByText("Configurações salvas.").waitFor();
const press = (scope, name) => scope.getByRole("button", { name, exact: true }).first().click();

/** Opens the settings of the branch, and returns one of the forms. */
async function openSettings(testId) {
  await goTo(page, "/keys");
  await goTo(page, "/settings");
  await page.selectOption("#f-store", String(branch));
  const form = page.getByTestId(testId);
  await form.waitFor();
  // The store's own settings are replaced.
  await page.waitForFunction(
    (id) => document.querySelector("#f-store").value === id,
    String(branch),
  );
  return form;
}

/** Fills in a field whose maximum length the browser would enforce. */
async function fillTooLong(field, text) {
  await field.evaluate((input) => input.removeAttribute("maxlength"));
  await field.fill(text);
}

test("errors of a rule for proofs stay at its row", async () => {
  const form = await openSettings("proof-policy");
  await form.locator("fieldset").first().getByLabel("Foto").check();
  for (let rule = 0; rule < 2; rule += 1) await press(form, "Adicionar regra para um motivo");
  const reasons = form.locator("input[type=text]");
  await reasons.nth(0).fill("Recusado");
  await fillTooLong(reasons.nth(1), "x".repeat(256));
  await press(form, "Salvar");
  // Steps without a part are not sent, so that the third sent rule is the sixth row.
  const rules = [
    ["PICKUP", null],
    ["FAILURE", "Recusado"],
    ["FAILURE", "x".repeat(256)],
  ].map(([step, reason]) => ({ step, reason, requires: ["PHOTO"] }));
  const rejected = await send("PUT", `/delivery/stores/${branch}/proofs`, { rules });
  assert.deepEqual(
    rejected.body.errors.map((one) => one.pointer),
    ["/rules/2/reason"],
  );
  const invalid = form.locator(".field.invalid");
  await invalid.waitFor();
  assert.deepEqual(
    [await invalid.count(), await invalid.locator("input").inputValue()],
    [1, "x".repeat(256)],
  );
  assert.equal(await invalid.locator(".field-error").innerText(), rejected.body.errors[0].detail);
  assert.equal(await invalid.locator("input").getAttribute("aria-invalid"), "true");
  await form.locator(".error-box .link").click();
  assert.equal(
    await invalid.locator("input").evaluate((input) => input === document.activeElement),
    true,
  );
  assert.deepEqual(await axeViolations(page), []);
  await screenshot(page, "settings-proof-rejected");
  await press(form, "Remover regra");
  assert.equal(
    await invalid.locator("input").inputValue(),
    "x".repeat(256),
    "the error moves with its row",
  );

  // Too many rules are an error of the list.
  for (let rule = 0; rule < 20; rule += 1) await press(form, "Adicionar regra para um motivo");
  for (let rule = 0; rule < 21; rule += 1) await reasons.nth(rule).fill(`Motivo ${rule}`);
  await press(form, "Salvar");
  await form.locator("#f-rules-error").waitFor();
  assert.equal(await form.locator("#f-rules").getAttribute("aria-describedby"), "f-rules-error");
  for (let rule = 0; rule < 19; rule += 1) await press(form, "Remover regra");
  await sendAfterLostNetwork(page, form);
  await saved();
  const { body } = await send("GET", `/delivery/stores/${branch}/proofs`);
  assert.deepEqual(
    body.rules.map(({ step, reason }) => [step, reason]),
    [
      ["PICKUP", null],
      ["FAILURE", "Motivo 19"],
      ["FAILURE", "Motivo 20"],
    ],
  );
});

test("errors of the opening hours are at their fields", async () => {
  const form = await openSettings("hours");
  for (let period = 0; period < 2; period += 1) await press(form, "Adicionar período");
  for (let date = 0; date < 2; date += 1) await press(form, "Adicionar data");
  await page.fill(at("/hours/0/from"), "25:00");
  await page.fill(at("/hours/0/until"), "");
  await page.locator(at("/exceptions/1/closed")).uncheck();
  await page.fill(at("/exceptions/1/date"), "2026-12-25");
  await page.fill(at("/exceptions/1/from"), "10:00");
  await page.fill(at("/exceptions/1/until"), "10:00");
  await press(form, "Salvar");
  const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const hours = [
    { days, from: "25:00", until: "" },
    { days, from: "11:00", until: "23:00" },
  ];
  const exceptions = [
    { date: "", closed: true, from: null, until: null, name: null },
    { date: "2026-12-25", closed: false, from: "10:00", until: "10:00", name: null },
  ];
  await form.locator(".error-box").waitFor();
  await assertShown(
    page,
    await send("PUT", `/delivery/stores/${branch}/hours`, { hours, exceptions }),
    4,
  );
  await screenshot(page, "settings-hours-rejected");

  // Two periods at once are an error of the second one.
  await page.fill(at("/hours/0/from"), "11:00");
  await page.fill(at("/hours/0/until"), "15:00");
  for (let date = 0; date < 2; date += 1) await press(form, "Remover data");
  await press(form, "Salvar");
  await page.locator("#f-hours-1-error").waitFor();
  assert.equal(await page.getAttribute("#f-hours-1", "aria-describedby"), "f-hours-1-error");
  assert.deepEqual(await axeViolations(page), []);
  await page.fill(at("/hours/1/from"), "18:00");
  await sendAfterLostNetwork(page, form);
  await saved();
  await press(form, "Remover período");
  await press(form, "Remover período");
  await press(form, "Salvar");
  await page.waitForFunction(
    () => document.querySelectorAll("[data-testid=hours] .rule").length === 0,
  );
});

test("errors of the recipients' pages are at their fields, also at a list", async () => {
  const form = await openSettings("tracking");
  await form.getByLabel("Deixar na portaria").check();
  await page.fill(at("/contact/phone"), "1198");
  await press(form, "Salvar");
  await form.locator(".error-box").waitFor();
  const policy = {
    enabled: false,
    contact: { name: null, phone: "1198", text: null },
    choices: ["DOORMAN"],
    notifyAt: [],
  };
  await assertShown(page, await send("PUT", `/delivery/stores/${branch}/tracking`, policy), 1);
  await page.fill(at("/contact/phone"), "1130000000");

  // A server of another version may have other choices.
  const detail = "Esta opção não existe.";
  const problem = {
    type: "",
    title: "",
    status: 422,
    detail: "",
    instance: "",
    code: "validation_failed",
    requestId: "",
    errors: [
      { pointer: "/choices/0", code: "unknown_value", detail },
      { pointer: "/enabled", code: "required", detail },
    ],
  };
  const isSaving = (route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ status: 422, contentType: "application/problem+json", json: problem })
      : route.continue();
  await page.route("**/tracking", isSaving);
  await press(form, "Salvar");
  await page.locator("#f-choices-error").getByText(detail).waitFor();
  assert.equal(await page.getAttribute("#f-choices", "aria-describedby"), "f-choices-error");
  assert.equal(await form.locator("#f-choices input").first().getAttribute("aria-invalid"), "true");
  assert.deepEqual(
    [
      await page.getAttribute("#f-enabled", "aria-invalid"),
      await page.textContent("#f-enabled-error"),
    ],
    ["true", detail],
  );
  await form.locator(".error-box .link").first().click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "f-choices");
  assert.deepEqual(await axeViolations(page), []);
  await screenshot(page, "settings-tracking-rejected");
  await page.unroute("**/tracking");
  await sendAfterLostNetwork(page, form);
  await saved();
});

test("settings keep what is typed when the language changes", async () => {
  const form = await openSettings("tracking");
  await page.fill(at("/contact/name"), "Bia");
  for (const [language, title] of [
    ["en", "Settings"],
    ["pt", "Configurações"],
  ]) {
    const reloaded = page.waitForResponse((response) =>
      response.url().endsWith(`/stores/${branch}/tracking`),
    );
    await page.click(`button[lang=${language}]`);
    await (await reloaded).finished();
    await page.locator("#title", { hasText: title }).waitFor();
    await page.waitForTimeout(100);
    assert.equal(await form.locator(at("/contact/name")).inputValue(), "Bia");
  }
});

test("a session that cannot be ended is reported", async () => {
  const other = await openLoggedIn(browser);
  await goTo(page, "/access");
  await page.route("**/delivery/sessions/*", (route) => route.abort());
  await page
    .getByRole("button", { name: /^Encerrar: / })
    .last()
    .click();
  await page.locator(".toast.bad").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await other.context.close();
});

test("users, links and the own password keep what is typed", async () => {
  await goTo(page, "/access");
  const users = page.locator("[aria-labelledby=users]");
  const name = uniqueCode("Bia");
  await press(users, "Adicionar usuário");
  await page.fill("dialog #f-name", name);
  await page.fill("dialog #f-email", email());
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();

  await press(users, `Alterar: ${name}`);
  await page.fill("dialog #f-name", "");
  await press(dialog(), "Salvar");
  await dialog().locator(".error-box").waitFor();
  const { body } = await send("GET", "/delivery/users");
  const { id } = body.users.find((one) => one.name === name);
  await assertShown(
    page,
    await send("PATCH", `/delivery/users/${id}`, { name: "", role: "CLERK" }),
    1,
  );
  await page.fill("dialog #f-name", `${name} Reis`);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();

  await press(users, `Novo link de senha: ${name} Reis`);
  await page.fill("dialog #f-currentPassword", "errada");
  await sendAfterLostNetwork(page, dialogForm());
  await dialog().locator(".field.invalid #f-currentPassword").waitFor();
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await press(dialog(), "Novo link de senha");
  await dialogClosed();
  await press(users, `Remover: ${name} Reis`);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();
  await users.locator("tr", { hasText: name }).waitFor({ state: "detached" });

  const form = page.getByTestId("own-password");
  await form.locator("#f-currentPassword").fill("errada");
  await form.locator("#f-newPassword").fill("outra senha comprida");
  await sendAfterLostNetwork(page, form);
  await form.locator(".field.invalid #f-currentPassword").waitFor();
  assert.equal(await form.locator("#f-newPassword").inputValue(), "outra senha comprida");
});

test("dialogs of keys and webhooks keep what is typed, and event types have errors", async () => {
  await goTo(page, "/keys");
  await press(page, "Nova chave");
  await page.fill("dialog #f-name", uniqueCode("Caixa"));
  await page.fill("dialog #f-expiresInDays", "1");
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();

  await confirmSession(page);
  await goTo(page, "/webhooks");
  await press(page, "Novo webhook");
  await page.fill("dialog #f-url", "smtp:");
  await dialog().locator("button[type=submit]").click();
  await dialog().locator(".error-box").waitFor();
  const rejected = await send("POST", "/delivery/webhooks", { url: "smtp:", events: [] });
  const { detail } = rejected.body.errors.find((one) => one.pointer === "/events");
  assert.equal(await page.textContent("#f-events-error"), detail);
  assert.equal(
    await dialog().locator("#f-events input").first().getAttribute("aria-invalid"),
    "true",
  );
  assert.deepEqual(await axeViolations(page), []);
  await screenshot(page, "dialog-webhook-rejected");
  await dialog().getByLabel("order.return_waived").check();
  await page.fill("dialog #f-url", `https://${uniqueCode("loja").toLowerCase()}.invalid/`);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();
});

test("dialogs of an order keep what is typed", async () => {
  const made = await send("POST", "/delivery/orders", {
    code: uniqueCode("REDE"),
    preparationTime: 60,
    deliveries: [
      { name: "Ana", address: VERGUEIRO },
      { name: "Bia", address: VERGUEIRO },
    ],
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await goTo(page, `/orders/${made.body.id}`);
  await press(page, "Informar atraso");
  await page.fill("dialog #f-minutes", "15");
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();
  await press(page, "Cancelar entrega: Bia");
  await page.fill("dialog #f-reason", "Cliente desistiu");
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();
  await press(page, "Cancelar pedido");
  await page.fill("dialog #f-reason", "Falta de estoque");
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed();
  await page.locator(".timeline").getByText("Falta de estoque").waitFor();
});

test("a password that is not repeated is an error of its field", async () => {
  const opened = await open(browser);
  const { page: reset } = opened;
  await reset.goto(`${BASE}/#/password/code`);
  await reset.waitForSelector("#f-newPassword");
  assert.equal(await reset.evaluate(() => document.activeElement.id), "f-newPassword");
  await reset.fill("#f-newPassword", "uma senha comprida");
  await reset.fill("#f-repeated", "outra senha comprida");
  await reset.click("button[type=submit]");
  await reset.locator(".field.invalid #f-repeated").waitFor();
  await reset.locator(".error-box .link").click();
  assert.equal(await reset.evaluate(() => document.activeElement.id), "f-repeated");
  assert.deepEqual(await axeViolations(reset), []);
  await screenshot(reset, "password-different");
  await reset.fill("#f-repeated", "uma senha comprida");
  await sendAfterLostNetwork(reset, reset.locator("form"));
  // The code is not valid.
  await reset.locator(".error-box").waitFor();
  assert.deepEqual(opened.pageErrors, []);
  await opened.context.close();
});

test("the first field has the focus when a page opens", async () => {
  const focused = (id) =>
    page.waitForFunction((expected) => document.activeElement.id === expected, id);
  await goTo(page, "/keys");
  await goTo(page, "/stores/new");
  await focused("f-name");
  await goTo(page, "/orders/import");
  await page.waitForFunction(() => document.activeElement.closest("[data-first]") !== null);
  await goTo(page, "/orders/new");
  await page.reload();
  await focused("f-code");
  const opened = await open(browser);
  await opened.page.goto(BASE);
  await opened.page.waitForFunction(() => document.activeElement.id === "f-email");
  await opened.context.close();
});

test("typing replaces a code that is suggested meanwhile", async () => {
  await goTo(page, "/keys");
  await goTo(page, "/orders/new");
  await page.waitForSelector("#f-code:focus");
  const code = String(Date.now() % 1e9);
  const deliveries = [
    { name: "Maria Silva", phone: "+5511990000201", onlinePayment: true, address: VERGUEIRO },
  ];
  const made = await send("POST", "/delivery/orders", {
    code,
    previewDeliveryTime: true,
    deliveries,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await page.waitForFunction(
    (next) => document.querySelector("#f-code").value === next,
    String(Number(code) + 1),
  );
  await page.keyboard.type("A7");
  assert.equal(await page.inputValue("#f-code"), "A7");
  await page.getByRole("button", { name: "Limpar" }).click();
  await send("POST", "/delivery/orders/cancel", { orderId: made.body.id });
});

test("a city that is typed before that of the CEP is found stays", async () => {
  const opened = await openLoggedIn(browser);
  const field = (delivery, name) =>
    opened.page.locator(at(`/deliveries/${delivery}/address/${name}`));
  const release = await hold(opened.page, "**/*.wasm");
  await goTo(opened.page, "/orders/new");
  await opened.page.getByRole("button", { name: "Adicionar entrega" }).click();
  await field(0, "zipCode").fill("01304-001");
  await field(0, "city").fill("Osasco");
  await field(1, "zipCode").fill("01304-001");
  release();
  await opened.page.waitForFunction(
    (city) => document.querySelector(city).value === "São Paulo",
    at("/deliveries/1/address/city"),
  );
  assert.equal(await field(0, "city").inputValue(), "Osasco");
  // The CEP is formatted when it loses the focus, but not looked up again.
  await field(0, "zipCode").focus();
  await field(0, "zipCode").blur();
  await field(1, "zipCode").fill("");
  await field(1, "zipCode").fill("20040-002");
  await opened.page.waitForFunction(
    (city) => document.querySelector(city).value === "Rio de Janeiro",
    at("/deliveries/1/address/city"),
  );
  assert.equal(await field(0, "city").inputValue(), "Osasco");
  assert.deepEqual(opened.pageErrors, []);
  await opened.context.close();
});

test("the search keeps the focus when the address changes from the start address to that of the results", async () => {
  const opened = await openLoggedIn(browser);
  await opened.page.locator("input[type=search]").pressSequentially("Maria", { delay: 150 });
  await opened.page.waitForFunction(() => location.hash === "#/orders?q=Maria");
  assert.equal(await opened.page.evaluate(() => document.activeElement.type), "search");
  await opened.context.close();
});

test("a requested element gets the focus if the previous page was not painted", async () => {
  await goTo(page, "/orders");
  await page.evaluate(async () => {
    for (const keys of ["gb", "/"]) {
      document.activeElement.blur();
      for (const key of keys)
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      dispatchEvent(new Event("hashchange"));
      // The page is rendered, but not painted.
      for (let at = 0; at < 10; at += 1) await null;
    }
  });
  await page.waitForFunction(
    () => location.hash === "#/orders" && document.querySelector("input[type=search]") !== null,
  );
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => document.activeElement.type), "search");
});

test("the focus returns from a page that cannot be loaded", async () => {
  await goTo(page, "/keys");
  await page.reload();
  await page.waitForSelector("#title");
  await page.route(/\/assets\/reports-.*\.js$/, (route) => route.abort());
  await page.locator(".side").getByRole("link", { name: "Relatórios" }).click();
  await page.getByRole("button", { name: "Tentar novamente" }).waitFor();
  await page.goBack();
  await page.waitForFunction(
    () => location.hash === "#/keys" && document.activeElement.id === "title",
  );
  await page.unrouteAll({ behavior: "wait" });
});

test("pages have no errors", async () => {
  assert.deepEqual(pageErrors, []);
  const removed = await request(
    await page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")).key),
    "DELETE",
    `/delivery/stores/${branch}`,
  );
  assert.ok(removed.status < 300, JSON.stringify(removed));
  await context.close();
});
