// Every form with invalid input, and drafts after a lost connection or session.
import {
  PASSWORD,
  VERGUEIRO,
  request,
  sessionOf,
  uniqueCnpj,
  uniqueCode,
  type Body,
} from "./support/api";
import { expect, test } from "./support/fixtures";
import { assertShown } from "./support/forms";
import {
  at,
  deferred,
  dialogClosed,
  downloaded,
  fillAddress,
  goTo,
  priceShown,
  screenshot,
  sendLogin,
  sendOrder,
} from "./support/page";
import type { Request } from "@playwright/test";

test("invalid input in each form shows the API errors next to the fields", async ({
  page,
  store,
}) => {
  await page.goto("/");
  await expect(page.locator("#f-password")).not.toHaveValue("");
  await page.fill("#f-email", "no-address");
  await page.fill("#f-password", "");
  await page.click("button[type=submit]");
  await expect(page.locator(".error-box")).toBeVisible();
  await assertShown(
    page,
    await request("", "POST", "/delivery/sessions", { email: "no-address", password: "" }),
    1,
  );
  await sendLogin(page, store);
  await expect(page.locator(".side")).toBeVisible();
  const rejected = (to: string, body: unknown) => store.api("POST", to, body, "pt-BR");

  await goTo(page, "/orders/new");
  const door = "/deliveries/0";
  await page.fill(at("/preparationTime"), "1441");
  // Until the user types, the form contains the suggested code as soon as the day's orders are loaded.
  await page.fill(at("/code"), "x");
  await page.fill(at("/code"), "");
  await page.fill(at(`${door}/phone`), "1198");
  await page.fill(at(`${door}/productValue`), "-1");
  await page.fill(at(`${door}/address/zipCode`), "123");
  await page.fill(at(`${door}/address/city`), "");
  await page.selectOption(at(`${door}/address/state`), "");
  await sendOrder(page);
  await expect(page.locator(".error-box")).toBeVisible();
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
  const rejectedText = await rejected("/delivery/orders", { ...order, preparationTime: "vinte" });
  await expect(page.locator("#f-preparationTime-error").first()).toHaveText(
    rejectedText.body.errors.find((one: Body) => one.pointer === "/preparationTime").detail,
  );

  await goTo(page, "/stores/new");
  await page.fill("#f-name", "Abc");
  await page.fill("#f-cnpj", "11.222.333/0001-80");
  await page.fill("#f-email", "no-address");
  await page.fill("#f-password", "short");
  await page.click("form button[type=submit]");
  await expect(page.locator(".error-box")).toBeVisible();
  const branch = {
    name: "Abc",
    cnpj: "11.222.333/0001-80",
    email: "no-address",
    password: "short",
    responsible: { name: "", phone: "" },
    address: {},
    marketplaceBranchId: 1,
  };
  await assertShown(page, await rejected("/delivery/stores", branch), 9);

  await goTo(page, "/keys");
  await page.getByRole("button", { name: "Nova chave" }).click();
  await page.fill("#f-expiresInDays", "0");
  await page.click("dialog button[type=submit]");
  await expect(page.locator("dialog .error-box")).toBeVisible();
  await assertShown(page, await rejected("/delivery/keys", { expiresInDays: 0 }), 1);
  await screenshot(page, "dialog-key-rejected");
  await page.fill("#f-expiresInDays", "um ano");
  await page.click("dialog button[type=submit]");
  const text = await rejected("/delivery/keys", { expiresInDays: "um ano" });
  await expect(page.locator("#f-expiresInDays-error").first()).toHaveText(
    text.body.errors[0].detail,
  );
  await page.keyboard.press("Escape");
  await dialogClosed(page);

  await goTo(page, "/webhooks");
  await page.getByRole("button", { name: "Novo webhook" }).click();
  await page.fill("#f-url", "http://10.0.0.1/");
  await page.click("dialog button[type=submit]");
  await expect(page.locator("dialog .error-box")).toBeVisible();
  await assertShown(
    page,
    await rejected("/delivery/webhooks", { url: "http://10.0.0.1/", events: [] }),
    1,
  );
});

test("created key works until it is revoked", async ({ panel: page }) => {
  await goTo(page, "/keys");
  await page.getByRole("button", { name: "Nova chave" }).click();
  const name = uniqueCode("Caixa");
  await page.fill("#f-name", name);
  await page.fill("#f-expiresInDays", "30");
  await page.click("dialog button[type=submit]");
  await expect(page.locator("#f-currentPassword-error")).toBeVisible();
  await page.fill("#f-currentPassword", PASSWORD);
  await page.click("dialog button[type=submit]");
  await dialogClosed(page);
  const value = await page.locator(".secret code").innerText();
  expect(value).toMatch(/^dsp_/);
  expect((await request(value, "GET", "/delivery/orders")).status).toBe(200);
  const row = page.locator(".table tr", { hasText: name });
  await expect(row.getByText("Ativa")).toBeVisible();
  await row.getByRole("button", { name: /Revogar/ }).click();
  await screenshot(page, "dialog-revoke");
  await page.click("dialog button[type=submit]");
  await dialogClosed(page);
  await expect(row.getByText("Revogada")).toBeVisible();
  await expect
    .poll(async () => (await request(value, "GET", "/delivery/orders")).body.code)
    .toBe("api_key_revoked");
});

test("statement can be downloaded as CSV", async ({ panel: page, store }) => {
  const made = await store.api("POST", "/delivery/orders", {
    code: uniqueCode("CONTA"),
    deliveries: [{ address: VERGUEIRO }],
  });
  await goTo(page, "/balance");
  await expect(
    page.locator(".table.lines tbody tr", { hasText: `#${made.body.id}` }),
  ).toBeVisible();
  const { name, text } = await downloaded(page, page.getByRole("button", { name: "Baixar CSV" }));
  expect(name).toMatch(/^despacho-\d+-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  // A spreadsheet in Brazil reads the accents with the mark, and columns and amounts with the separators.
  expect(
    text.startsWith(
      "\uFEFFLançamento;Data e hora;Tipo;Pedido;Referência;Valor (R$);Saldo (R$);Loja\r\n",
    ),
    text.slice(0, 100),
  ).toBeTruthy();
  expect(text).toMatch(
    new RegExp(
      `\\r\\n\\d+;\\d\\d/\\d\\d/\\d{4} \\d\\d:\\d\\d:\\d\\d;Taxa de entrega;${made.body.id};;-\\d+,\\d\\d;-?\\d+,\\d\\d;\\d+\\r\\n`,
    ),
  );
});

test("branch typed offline is created after reconnecting, then removed", async ({
  panel: page,
  context,
}) => {
  await goTo(page, "/stores/new");
  const name = `Filial ${uniqueCode("Q")}`;
  await page.fill("#f-name", name);
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Equipe");
  await page.fill("#f-responsible-phone", "+5511990000301");
  await context.setOffline(true);
  await expect(page.locator(".banner").first()).toBeVisible();
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.fill("#f-email", `${uniqueCode("queda").toLowerCase()}@demo.despacho.example`);
  await page.fill("#f-password", "a long password");
  await page.fill("#f-currentPassword", PASSWORD);
  await page.click("form button[type=submit]");
  await expect(page.locator("form .error-box")).toBeVisible();
  await expect(page.locator("#f-name")).toHaveValue(name);
  await expect(page.locator("#f-password")).toHaveValue("a long password");
  await context.setOffline(false);
  await page.click("form button[type=submit]");
  await expect(page.locator(".secret code")).toBeVisible();
  const row = page.locator(".table tr", { hasText: name });
  await row.getByRole("button", { name: /Remover/ }).click();
  await page.click("dialog button[type=submit]");
  await dialogClosed(page);
  await expect(row).toHaveCount(0);
});

test("draft survives a revoked session", async ({ panel: page, store }) => {
  const code = uniqueCode("SESSAO");
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await page.fill("#f-deliveries-0-phone", "11 98765-4321");
  await page.fill("#f-deliveries-0-observation", "Portão verde");
  const { keyId } = await sessionOf(page);
  expect((await store.api("DELETE", `/delivery/keys/${keyId}`)).status).toBe(204);
  // The page may detect the revoked key before this click.
  await page.click("form.create button[type=submit]", { timeout: 3_000 }).catch(() => {});
  await expect(page.locator(".login .notice[role=status]")).toBeVisible();
  await screenshot(page, "login-ended");
  await sendLogin(page, store);
  await expect(page.locator("#f-code")).toBeVisible();
  await expect(page.locator("#f-code")).toHaveValue(code);
  await expect(page.locator("#f-deliveries-0-observation")).toHaveValue("Portão verde");
  await expect(page.locator("#f-deliveries-0-phone")).toHaveValue("(11) 98765-4321");
  await priceShown(page);
  await sendOrder(page);
  await expect(page.locator("#title")).toContainText(code);
  // A logout deletes the drafts.
  await goTo(page, "/orders/new");
  await page.fill("#f-code", "MEU");
  const { key } = await sessionOf(page);
  await page.getByRole("button", { name: "Sair" }).click();
  await expect(page.locator(".login").first()).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/MEU/);
  // The server has revoked the key.
  await expect
    .poll(async () => (await request(key, "GET", "/delivery/orders")).body.code)
    .toBe("api_key_revoked");
});

test("a late rejection of an ended session does not end the next one", async ({
  panel: page,
  store,
}) => {
  const { key, keyId, storeId } = await sessionOf(page);
  const { promise: released, resolve: release } = deferred();
  const held: Request[] = [];
  await page.route(`**/delivery/stores/${storeId}`, async (route) => {
    if (route.request().headers()["x-api-token"] === key) {
      held.push(route.request());
      await released;
    }
    await route.continue();
  });
  // The open panel may detect the revoked key at once, and end the session before the store is loaded.
  await page.goto("about:blank");
  expect((await request(key, "DELETE", `/delivery/keys/${keyId}`)).status).toBe(204);
  // The page loads the store. One of its requests is rejected, and another waits.
  await page.goto("/");
  await expect(page.locator(".login .notice[role=status]")).toBeVisible();
  await sendLogin(page, store);
  await expect(page.locator("#title")).toBeVisible();
  expect(held.length).toBe(1);
  release();
  expect((await held[0]?.response())?.status()).toBe(401);
  await goTo(page, "/keys");
  await expect(page.locator("tbody tr").first()).toBeVisible();
});
