// Every form with invalid input, and drafts after a lost connection or session.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import {
  BASE,
  VERGUEIRO,
  api,
  fillAddress,
  goTo,
  launch,
  open,
  openLoggedIn,
  request,
  screenshot,
  sendLogin,
  sendOrder,
  uniqueCnpj,
  uniqueCode,
} from "./browser.mjs";
import { assertShown, at } from "./form-checks.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const dialogClosed = (page) => page.waitForSelector("dialog[open]", { state: "detached" });

test("invalid input in each form shows the API errors next to the fields", async () => {
  const { page, pageErrors, context } = await open(browser);
  await page.goto(BASE);
  await page.waitForFunction(() => document.querySelector("#f-password")?.value !== "");
  await page.fill("#f-email", "no-address");
  await page.fill("#f-password", "");
  await page.click("button[type=submit]");
  await page.waitForSelector(".error-box");
  await assertShown(
    page,
    await request("", "POST", "/delivery/sessions", { email: "no-address", password: "" }),
    1,
  );
  await sendLogin(page);
  await page.waitForSelector(".side");
  const rejected = (to, body) => api(page, "POST", to, body, "pt-BR");

  await goTo(page, "/orders/new");
  const door = "/deliveries/0";
  await page.fill(at("/preparationTime"), "1441");
  // Until the user types, the form contains the suggested code as soon as the day's orders are loaded.
  await page.fill(at("/code"), "x");
  await page.fill(at("/code"), "");
  await page.fill(at(`${door}/phone`), "1198");
  await page.fill(at(`${door}/productValue`), "-1");
  await page.fill(at(`${door}/address/zipCode`), "123");
  await sendOrder(page);
  await page.waitForSelector(".error-box");
  const order = {
    code: "",
    preparationTime: 1441,
    previewDeliveryTime: true,
    sortByBestRoute: false,
    deliveries: [
      {
        name: "",
        phone: "1198",
        productValue: -1,
        onlinePayment: true,
        confirmation: { platform: true },
        address: { zipCode: "123" },
      },
    ],
  };
  await assertShown(page, await rejected("/delivery/orders", order), 6);
  // Text in a number field.
  await page.fill(at("/preparationTime"), "vinte");
  await sendOrder(page);
  await page.waitForFunction(
    (before) => document.querySelector(".error-box")?.textContent !== before,
    await page.locator(".error-box").innerText(),
  );
  const rejectedText = await rejected("/delivery/orders", { ...order, preparationTime: "vinte" });
  await page.waitForFunction(
    (detail) => document.querySelector("#f-preparationTime-error")?.textContent === detail,
    rejectedText.body.errors.find((one) => one.pointer === "/preparationTime").detail,
  );

  await goTo(page, "/stores/new");
  await page.fill("#f-name", "Abc");
  await page.fill("#f-cnpj", "11.222.333/0001-80");
  await page.fill("#f-email", "no-address");
  await page.fill("#f-password", "short");
  await page.click("form button[type=submit]");
  await page.waitForSelector(".error-box");
  const store = {
    name: "Abc",
    cnpj: "11.222.333/0001-80",
    email: "no-address",
    password: "short",
    responsible: { name: "", phone: "" },
    address: {},
    marketplaceBranchId: 1,
  };
  await assertShown(page, await rejected("/delivery/stores", store), 9);

  await goTo(page, "/keys");
  await page.getByRole("button", { name: "Nova chave" }).click();
  await page.fill("#f-expiresInDays", "0");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog .error-box");
  await assertShown(page, await rejected("/delivery/keys", { expiresInDays: 0 }), 1);
  await screenshot(page, "dialog-key-rejected");
  await page.fill("#f-expiresInDays", "um ano");
  await page.click("dialog button[type=submit]");
  const text = await rejected("/delivery/keys", { expiresInDays: "um ano" });
  await page.waitForFunction(
    (detail) => document.querySelector("#f-expiresInDays-error")?.textContent === detail,
    text.body.errors[0].detail,
  );
  await page.keyboard.press("Escape");
  await dialogClosed(page);

  await goTo(page, "/webhooks");
  await page.getByRole("button", { name: "Novo webhook" }).click();
  await page.fill("#f-url", "http://10.0.0.1/");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog .error-box");
  await assertShown(
    page,
    await rejected("/delivery/webhooks", { url: "http://10.0.0.1/", events: [] }),
    1,
  );
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("created key works until it is revoked", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  await goTo(page, "/keys");
  await page.getByRole("button", { name: "Nova chave" }).click();
  const name = uniqueCode("Caixa");
  await page.fill("#f-name", name);
  await page.fill("#f-expiresInDays", "30");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("#f-currentPassword-error");
  await page.fill("#f-currentPassword", "despacho-demo");
  await page.click("dialog button[type=submit]");
  await dialogClosed(page);
  const value = await page.locator(".secret code").innerText();
  assert.match(value, /^dsp_/);
  assert.equal((await request(value, "GET", "/delivery/orders")).status, 200);
  const row = page.locator(".table tr", { hasText: name });
  await row.getByText("Ativa").waitFor();
  await row.getByRole("button", { name: /Revogar/ }).click();
  await screenshot(page, "dialog-revoke");
  await page.click("dialog button[type=submit]");
  await dialogClosed(page);
  await row.getByText("Revogada").waitFor();
  assert.equal((await request(value, "GET", "/delivery/orders")).body.code, "api_key_revoked");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("statement can be downloaded as CSV", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const made = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("CONTA"),
    deliveries: [{ address: VERGUEIRO }],
  });
  await goTo(page, "/balance");
  await page.locator(".table.lines tbody tr", { hasText: `#${made.body.id}` }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Baixar CSV" }).click(),
  ]);
  assert.match(file.suggestedFilename(), /^despacho-\d+-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  // A spreadsheet in Brazil reads the accents with the mark, and columns and amounts with the separators.
  const text = await readFile(await file.path(), "utf8");
  assert.ok(
    text.startsWith(
      "\uFEFFLançamento;Data e hora;Tipo;Pedido;Referência;Valor (R$);Saldo (R$);Loja\r\n",
    ),
    text.slice(0, 100),
  );
  assert.match(
    text,
    new RegExp(
      `\\r\\n\\d+;\\d\\d/\\d\\d/\\d{4} \\d\\d:\\d\\d:\\d\\d;Taxa de entrega;${made.body.id};;-\\d+,\\d\\d;-?\\d+,\\d\\d;\\d+\\r\\n`,
    ),
  );
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("branch typed offline is created after reconnecting, then removed", async () => {
  const { page, context } = await openLoggedIn(browser);
  await goTo(page, "/stores/new");
  const name = `Filial ${uniqueCode("Q")}`;
  await page.fill("#f-name", name);
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Equipe");
  await page.fill("#f-responsible-phone", "+5511990000301");
  await context.setOffline(true);
  await page.waitForSelector(".banner");
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.fill("#f-email", `${uniqueCode("queda").toLowerCase()}@demo.despacho.example`);
  await page.fill("#f-password", "a long password");
  await page.fill("#f-currentPassword", "despacho-demo");
  await page.click("form button[type=submit]");
  await page.locator("form .error-box").waitFor({ timeout: 30_000 });
  assert.equal(await page.inputValue("#f-name"), name);
  assert.equal(await page.inputValue("#f-password"), "a long password");
  await context.setOffline(false);
  await page.click("form button[type=submit]");
  await page.locator(".secret code").waitFor();
  const row = page.locator(".table tr", { hasText: name });
  await row.getByRole("button", { name: /Remover/ }).click();
  await page.click("dialog button[type=submit]");
  await dialogClosed(page);
  await row.waitFor({ state: "detached" });
  await context.close();
});

test("draft survives a revoked session", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const code = uniqueCode("SESSAO");
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await page.fill("#f-deliveries-0-phone", "11 98765-4321");
  await page.fill("#f-deliveries-0-observation", "Portão verde");
  const { keyId } = await page.evaluate(() =>
    JSON.parse(sessionStorage.getItem("despacho.session")),
  );
  assert.equal((await api(page, "DELETE", `/delivery/keys/${keyId}`)).status, 204);
  // The page may detect the revoked key before this click.
  await page.click("form.create button[type=submit]", { timeout: 3_000 }).catch(() => {});
  await page.locator(".login .notice[role=status]").waitFor();
  await screenshot(page, "login-ended");
  await sendLogin(page);
  await page.waitForSelector("#f-code");
  assert.equal(await page.inputValue("#f-code"), code);
  assert.equal(await page.inputValue("#f-deliveries-0-observation"), "Portão verde");
  assert.equal(await page.inputValue("#f-deliveries-0-phone"), "(11) 98765-4321");
  await page.waitForFunction(() =>
    /R\$/.test(document.querySelector("[data-testid=price]")?.textContent ?? ""),
  );
  await sendOrder(page);
  await page.waitForFunction(
    (expected) => document.querySelector("#title")?.textContent?.includes(expected),
    code,
  );
  // A logout deletes the drafts.
  await goTo(page, "/orders/new");
  await page.fill("#f-code", "MEU");
  const { key } = await page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")));
  await page.getByRole("button", { name: "Sair" }).click();
  await page.waitForSelector(".login");
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), /MEU/);
  // The server has revoked the key.
  const keyStatus = async () => (await request(key, "GET", "/delivery/orders")).body.code;
  for (let tries = 0; tries < 50 && (await keyStatus()) !== "api_key_revoked"; tries += 1)
    await page.waitForTimeout(100);
  assert.equal(await keyStatus(), "api_key_revoked");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a late rejection of an ended session does not end the next one", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const { key, keyId, storeId } = await page.evaluate(() =>
    JSON.parse(sessionStorage.getItem("despacho.session")),
  );
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const held = [];
  await page.route(`**/delivery/stores/${storeId}`, async (route) => {
    if (route.request().headers()["x-api-token"] === key) {
      held.push(route.request());
      await released;
    }
    await route.continue();
  });
  // The open panel may detect the revoked key at once, and end the session before the store is loaded.
  await page.goto("about:blank");
  assert.equal((await request(key, "DELETE", `/delivery/keys/${keyId}`)).status, 204);
  // The page loads the store. One of its requests is rejected, and another waits.
  await page.goto(BASE);
  await page.locator(".login .notice[role=status]").waitFor();
  await sendLogin(page);
  await page.waitForSelector("#title");
  assert.equal(held.length, 1);
  release();
  assert.equal((await held[0].response()).status(), 401);
  await goTo(page, "/keys");
  await page.locator("tbody tr").first().waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
