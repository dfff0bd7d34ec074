// Invalid input at its field and lost networks in the settings, the access page, the import and the dialogs; what has the focus when a page opens.
import { PASSWORD, VERGUEIRO, uniqueCode, uniqueEmail, type Body, type Store } from "./support/api";
import { expect, test } from "./support/fixtures";
import { assertShown, sendAfterLostNetwork } from "./support/forms";
import {
  at,
  axeViolations,
  confirmSession,
  dialog,
  dialogClosed,
  goTo,
  hold,
  isAt,
  logIn,
  painted,
  screenshot,
} from "./support/page";
import type { Locator, Page, Route } from "@playwright/test";

let page: Page;
let store: Store;
/** A branch, whose settings are opened. */
let branch: number;
test.beforeEach(({ panel, store: mine }) => {
  [page, store] = [panel, mine];
});

/** Sends a request to the API in the language of the page. */
const send = (method: string, to: string, body?: unknown) => store.api(method, to, body, "pt-BR");
const dialogForm = () => dialog(page).locator("form");
const saved = () => expect(page.getByText("Configurações salvas.")).toBeVisible();
const press = (scope: Page | Locator, name: string) =>
  scope.getByRole("button", { name, exact: true }).first().click();

/** Opens the settings of a new branch, after a preparation, and returns one of the forms. */
async function openSettings(testId: string, prepare?: () => Promise<void>): Promise<Locator> {
  branch = await store.branch(uniqueCode("Filial"));
  await prepare?.();
  await page.reload();
  await expect(page.locator("#title")).toBeVisible();
  await goTo(page, "/keys");
  await goTo(page, "/settings");
  await page.selectOption("#f-store", String(branch));
  const form = page.getByTestId(testId);
  await expect(form).toBeVisible();
  // The store's own settings are replaced.
  await expect(page.locator("#f-store")).toHaveValue(String(branch));
  return form;
}

/** Fills in a field whose maximum length the browser would enforce. */
async function fillTooLong(field: Locator, text: string) {
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
  expect(rejected.body.errors.map((one: Body) => one.pointer)).toEqual(["/rules/2/reason"]);
  const invalid = form.locator(".field.invalid");
  await expect(invalid).toBeVisible();
  await expect(invalid).toHaveCount(1);
  await expect(invalid.locator("input")).toHaveValue("x".repeat(256));
  await expect(invalid.locator(".field-error")).toHaveText(rejected.body.errors[0].detail);
  await expect(invalid.locator("input")).toHaveAttribute("aria-invalid", "true");
  await form.locator(".error-box .link").click();
  await expect(invalid.locator("input")).toBeFocused();
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "settings-proof-rejected");
  await press(form, "Remover regra");
  await expect(invalid.locator("input"), "the error moves with its row").toHaveValue(
    "x".repeat(256),
  );
  await invalid.locator("input").fill("Ausente");
  await sendAfterLostNetwork(page, form);
  await saved();
  const { body } = await send("GET", `/delivery/stores/${branch}/proofs`);
  expect(body.rules.map(({ step, reason }: Body) => [step, reason])).toEqual([
    ["PICKUP", null],
    ["FAILURE", "Ausente"],
  ]);
});

test("too many rules for proofs are an error of their list", async () => {
  const reasons = Array.from({ length: 21 }, (_, rule) => `Motivo ${rule}`);
  const rules = reasons
    .slice(0, 20)
    .map((reason) => ({ step: "FAILURE", reason, requires: ["PHOTO"] }));
  const form = await openSettings("proof-policy", async () => {
    const stored = await send("PUT", `/delivery/stores/${branch}/proofs`, { rules });
    expect(stored.status, JSON.stringify(stored.body)).toBe(200);
  });
  const inputs = form.locator("input[type=text]");
  await expect(inputs).toHaveCount(20);
  await press(form, "Adicionar regra para um motivo");
  await inputs.nth(20).fill("Motivo 20");
  await press(form, "Salvar");
  await expect(form.locator("#f-rules-error")).toBeVisible();
  await expect(form.locator("#f-rules")).toHaveAttribute("aria-describedby", "f-rules-error");
  await press(form, "Remover regra");
  await press(form, "Salvar");
  await saved();
  const { body } = await send("GET", `/delivery/stores/${branch}/proofs`);
  expect(body.rules.map((one: Body) => one.reason)).toEqual(reasons.slice(1));
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
  await expect(form.locator(".error-box")).toBeVisible();
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
  await expect(page.locator("#f-hours-1-error")).toBeVisible();
  await expect(page.locator("#f-hours-1")).toHaveAttribute("aria-describedby", "f-hours-1-error");
  expect(await axeViolations(page)).toEqual([]);
  await page.fill(at("/hours/1/from"), "18:00");
  await sendAfterLostNetwork(page, form);
  await saved();
  await press(form, "Remover período");
  await press(form, "Remover período");
  await press(form, "Salvar");
  await expect(page.locator("[data-testid=hours] .rule")).toHaveCount(0);
});

test("errors of the recipients' pages are at their fields, also at a list", async () => {
  const form = await openSettings("tracking");
  await form.getByLabel("Deixar na portaria").check();
  await page.fill(at("/contact/phone"), "1198");
  await press(form, "Salvar");
  await expect(form.locator(".error-box")).toBeVisible();
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
  const isSaving = (route: Route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ status: 422, contentType: "application/problem+json", json: problem })
      : route.continue();
  await page.route("**/tracking", isSaving);
  await press(form, "Salvar");
  await expect(page.locator("#f-choices-error").getByText(detail)).toBeVisible();
  await expect(page.locator("#f-choices")).toHaveAttribute("aria-describedby", "f-choices-error");
  await expect(form.locator("#f-choices input").first()).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator("#f-enabled")).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator("#f-enabled-error")).toHaveText(detail);
  await form.locator(".error-box .link").first().click();
  await expect(page.locator("#f-choices")).toBeFocused();
  expect(await axeViolations(page)).toEqual([]);
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
    await expect(page.locator("#title", { hasText: title })).toBeVisible();
    await painted(page);
    await expect(form.locator(at("/contact/name"))).toHaveValue("Bia");
  }
});

test("a session that cannot be ended is reported", async ({ open }) => {
  await logIn(await open(), store);
  await goTo(page, "/access");
  await page.route("**/delivery/sessions/*", (route) => route.abort());
  await page
    .getByRole("button", { name: /^Encerrar: / })
    .last()
    .click();
  await expect(page.locator(".toast.bad")).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });
});

test("users, links and the own password keep what is typed", async () => {
  await goTo(page, "/access");
  const users = page.locator("[aria-labelledby=users]");
  const name = uniqueCode("Bia");
  await press(users, "Adicionar usuário");
  await page.fill("dialog #f-name", name);
  await page.fill("dialog #f-email", uniqueEmail("bia"));
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);

  await press(users, `Alterar: ${name}`);
  await page.fill("dialog #f-name", "");
  await press(dialog(page), "Salvar");
  await expect(dialog(page).locator(".error-box")).toBeVisible();
  const { body } = await send("GET", "/delivery/users");
  const { id } = body.users.find((one: Body) => one.name === name);
  await assertShown(
    page,
    await send("PATCH", `/delivery/users/${id}`, { name: "", role: "CLERK" }),
    1,
  );
  await page.fill("dialog #f-name", `${name} Reis`);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);

  await press(users, `Novo link de senha: ${name} Reis`);
  await page.fill("dialog #f-currentPassword", "errada");
  await sendAfterLostNetwork(page, dialogForm());
  await expect(dialog(page).locator(".field.invalid #f-currentPassword")).toBeVisible();
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await press(dialog(page), "Novo link de senha");
  await dialogClosed(page);
  await press(users, `Remover: ${name} Reis`);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);
  await expect(users.locator("tr", { hasText: name })).toHaveCount(0);

  const form = page.getByTestId("own-password");
  await form.locator("#f-currentPassword").fill("errada");
  await form.locator("#f-newPassword").fill("outra senha comprida");
  await sendAfterLostNetwork(page, form);
  await expect(form.locator(".field.invalid #f-currentPassword")).toBeVisible();
  await expect(form.locator("#f-newPassword")).toHaveValue("outra senha comprida");
});

test("dialogs of keys and webhooks keep what is typed, and event types have errors", async () => {
  await goTo(page, "/keys");
  await press(page, "Nova chave");
  await page.fill("dialog #f-name", uniqueCode("Caixa"));
  await page.fill("dialog #f-expiresInDays", "1");
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);

  await confirmSession(page);
  await goTo(page, "/webhooks");
  await press(page, "Novo webhook");
  await page.fill("dialog #f-url", "smtp:");
  await dialog(page).locator("button[type=submit]").click();
  await expect(dialog(page).locator(".error-box")).toBeVisible();
  const rejected = await send("POST", "/delivery/webhooks", { url: "smtp:", events: [] });
  const { detail } = rejected.body.errors.find((one: Body) => one.pointer === "/events");
  await expect(page.locator("#f-events-error")).toHaveText(detail);
  await expect(dialog(page).locator("#f-events input").first()).toHaveAttribute(
    "aria-invalid",
    "true",
  );
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "dialog-webhook-rejected");
  await dialog(page).getByLabel("order.return_waived").check();
  await page.fill("dialog #f-url", `https://${uniqueCode("loja").toLowerCase()}.invalid/`);
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);
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
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  await goTo(page, `/orders/${made.body.id}`);
  await press(page, "Informar atraso");
  await page.fill("dialog #f-minutes", "15");
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);
  await press(page, "Cancelar entrega: Bia");
  await page.fill("dialog #f-reason", "Cliente desistiu");
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);
  await press(page, "Cancelar pedido");
  await page.fill("dialog #f-reason", "Falta de estoque");
  await sendAfterLostNetwork(page, dialogForm());
  await dialogClosed(page);
  await expect(page.locator(".timeline").getByText("Falta de estoque")).toBeVisible();
});

test("a password that is not repeated is an error of its field", async ({ open }) => {
  const reset = await open();
  await reset.goto("/#/password/code");
  await expect(reset.locator("#f-newPassword")).toBeVisible();
  await expect(reset.locator("#f-newPassword")).toBeFocused();
  await reset.fill("#f-newPassword", "uma senha comprida");
  await reset.fill("#f-repeated", "outra senha comprida");
  await reset.click("button[type=submit]");
  await expect(reset.locator(".field.invalid #f-repeated")).toBeVisible();
  await reset.locator(".error-box .link").click();
  await expect(reset.locator("#f-repeated")).toBeFocused();
  expect(await axeViolations(reset)).toEqual([]);
  await screenshot(reset, "password-different");
  await reset.fill("#f-repeated", "uma senha comprida");
  await sendAfterLostNetwork(reset, reset.locator("form"));
  // The code is not valid.
  await expect(reset.locator(".error-box")).toBeVisible();
});

test("the first field has the focus when a page opens", async ({ open }) => {
  const focused = (id: string) => expect(page.locator(`#${id}`)).toBeFocused();
  await goTo(page, "/keys");
  await goTo(page, "/stores/new");
  await focused("f-name");
  await goTo(page, "/orders/import");
  await expect(
    page.locator("[data-first]").locator(":focus").or(page.locator("[data-first]:focus")),
  ).toBeAttached();
  await goTo(page, "/orders/new");
  await page.reload();
  await focused("f-deliveries-0-phone");
  const login = await open();
  await login.goto("/");
  await expect(login.locator("#f-email")).toBeFocused();
});

test("typing replaces a code that is suggested meanwhile", async () => {
  await goTo(page, "/keys");
  await goTo(page, "/orders/new");
  await page.locator("#f-code").focus();
  const code = String(Date.now() % 1e9);
  const deliveries = [
    { name: "Maria Silva", phone: "+5511990000201", onlinePayment: true, address: VERGUEIRO },
  ];
  const made = await send("POST", "/delivery/orders", {
    code,
    previewDeliveryTime: true,
    deliveries,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  await expect(page.locator("#f-code")).toHaveValue(String(Number(code) + 1));
  await page.keyboard.type("A7");
  await expect(page.locator("#f-code")).toHaveValue("A7");
  await page.getByRole("button", { name: "Limpar" }).click();
});

test("a city that is typed before that of the CEP is found stays", async () => {
  const field = (delivery: number, name: string) =>
    page.locator(at(`/deliveries/${delivery}/address/${name}`));
  const release = await hold(page, "**/*.wasm");
  await goTo(page, "/orders/new");
  await page.getByRole("button", { name: "Adicionar entrega" }).click();
  await field(0, "zipCode").fill("01304-001");
  await field(0, "city").fill("Osasco");
  await field(1, "zipCode").fill("01304-001");
  release();
  await expect(page.locator(at("/deliveries/1/address/city"))).toHaveValue("São Paulo");
  await expect(field(0, "city")).toHaveValue("Osasco");
  // The CEP is formatted when it loses the focus, but not looked up again.
  await field(0, "zipCode").focus();
  await field(0, "zipCode").blur();
  await field(1, "zipCode").fill("");
  await field(1, "zipCode").fill("20040-002");
  await expect(page.locator(at("/deliveries/1/address/city"))).toHaveValue("Rio de Janeiro");
  await expect(field(0, "city")).toHaveValue("Osasco");
});

test("the number and the complement are taken out of the street", async () => {
  const field = (name: string) => page.locator(at(`/deliveries/0/address/${name}`));
  await goTo(page, "/orders/new");
  await field("street").fill("R. Augusta, 1508 ap 12");
  await field("street").press("Tab");
  await expect(field("street")).toHaveValue("R. Augusta");
  await expect(field("complement")).toHaveValue("ap 12");
  await expect(field("number")).toHaveAccessibleName("Número (separado da rua)");
  // The number is selected, so that who types it again does not double it.
  await page.keyboard.type("1508");
  await expect(field("number")).toHaveValue("1508");
  await screenshot(page, "address-split");
  // Who wants it in the street writes it there again.
  await field("number").fill("");
  await field("complement").fill("");
  await field("street").fill("R. Augusta, 1508 ap 12");
  await field("street").blur();
  await expect(field("street")).toHaveValue("R. Augusta, 1508 ap 12");
  await field("street").fill("");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(() => navigator.clipboard.writeText("Av. Paulista 1578"));
  await field("street").press("ControlOrMeta+v");
  await expect(field("number")).toHaveValue("1578");
  await expect(field("street")).toHaveValue("Av. Paulista");
});

test("the search keeps the focus when the address changes from the start address to that of the results", async () => {
  await page.locator("input[type=search]").pressSequentially("Maria", { delay: 150 });
  await isAt(page, "#/orders?q=Maria");
  await expect(page.locator("input[type=search]")).toBeFocused();
});

test("a requested element gets the focus if the previous page was not painted", async () => {
  await goTo(page, "/orders");
  await page.evaluate(async () => {
    for (const keys of ["gb", "/"]) {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      for (const key of keys)
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      dispatchEvent(new Event("hashchange"));
      // The page is rendered, but not painted.
      for (let task = 0; task < 10; task += 1) await null;
    }
  });
  await isAt(page, "#/orders");
  await expect(page.locator("input[type=search]")).toBeVisible();
  await painted(page);
  await expect(page.locator("input[type=search]")).toBeFocused();
});

test("the focus returns from a page that cannot be loaded", async () => {
  await goTo(page, "/keys");
  await page.reload();
  await expect(page.locator("#title")).toBeVisible();
  await page.route(/\/assets\/reports-.*\.js$/, (route) => route.abort());
  await page.locator(".side").getByRole("link", { name: "Relatórios" }).click();
  await expect(page.getByRole("button", { name: "Tentar novamente" })).toBeVisible();
  await page.goBack();
  await isAt(page, "#/keys");
  await expect(page.locator("#title")).toBeFocused();
  await page.unrouteAll({ behavior: "wait" });
});
