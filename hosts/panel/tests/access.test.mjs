// Users with roles, sessions, passwords set with a link, and the log of changes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BASE, api, goTo, launch, logIn, open } from "./browser.mjs";

const PASSWORD = "a senha da Bia 2026";

let browser;
let owner;
before(async () => {
  browser = await launch();
  owner = await open(browser);
  await logIn(owner.page);
});
after(() => browser.close());

test("an owner adds a clerk, who sets a password and cannot open keys", async () => {
  const { page } = owner;
  const email = `bia-${Date.now()}@demo.despacho.example`;
  await goTo(page, "/access");
  await page.getByRole("button", { name: "Adicionar usuário" }).click();
  await page.fill("dialog #f-name", "Bia Balcão");
  await page.fill("dialog #f-email", "sem arroba");
  await page.fill("dialog #f-currentPassword", "despacho-demo");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog .field.invalid #f-email");
  await page.fill("dialog #f-email", email);
  await page.click("dialog button[type=submit]");
  const issued = await page.textContent(".secret code");
  assert.match(issued, /\/#\/password\/.{20,}$/);
  const link = `${BASE}/${new URL(issued).hash}`;

  const clerk = await open(browser);
  await clerk.page.goto(link);
  await clerk.page.waitForSelector("#f-newPassword");
  assert.equal(new URL(clerk.page.url()).hash, "#/password", "the code left the address");
  await clerk.page.fill("#f-newPassword", "curta");
  await clerk.page.fill("#f-repeated", "outra");
  await clerk.page.click("button[type=submit]");
  await clerk.page.locator(".field.invalid #f-repeated").waitFor();
  assert.equal(await clerk.page.textContent("#f-repeated-error"), "As senhas são diferentes.");
  assert.equal(
    await clerk.page.getAttribute("#f-repeated", "aria-describedby"),
    "f-repeated-error",
  );
  await clerk.page.fill("#f-repeated", "curta");
  await clerk.page.click("button[type=submit]");
  await clerk.page.waitForSelector(".field.invalid #f-newPassword");
  await clerk.page.fill("#f-newPassword", PASSWORD);
  await clerk.page.fill("#f-repeated", PASSWORD);
  await clerk.page.click("button[type=submit]");
  await clerk.page.getByRole("button", { name: "Entrar" }).click();
  await clerk.page.fill("#f-email", email);
  await clerk.page.fill("#f-password", PASSWORD);
  await clerk.page.click("button[type=submit]");
  await clerk.page.waitForSelector(".side");
  const menu = await clerk.page
    .locator("nav a")
    .evaluateAll((links) => links.map((one) => one.getAttribute("href")));
  assert.deepEqual(menu, ["#/orders", "#/orders/new", "#/notifications", "#/access", "#/settings"]);
  const rejected = await api(clerk.page, "GET", "/delivery/keys");
  assert.deepEqual([rejected.status, rejected.body.code], [403, "role_not_allowed"]);
  await goTo(clerk.page, "/keys");
  await clerk.page.waitForSelector(".state[role=alert]");
  await goTo(clerk.page, "/settings");
  await clerk.page.waitForSelector("[data-testid=attention]");
  assert.equal(await clerk.page.locator("[data-testid=tracking]").count(), 0);
  await goTo(clerk.page, "/access");
  await clerk.page.getByText("Esta sessão").waitFor();
  assert.equal(
    await clerk.page.getByText("Login da própria loja").count(),
    0,
    "a clerk sees the own sessions only",
  );

  // A used link is rejected.
  const again = await open(browser);
  await again.page.goto(link);
  await again.page.fill("#f-newPassword", PASSWORD);
  await again.page.fill("#f-repeated", PASSWORD);
  await again.page.click("button[type=submit]");
  await again.page.waitForSelector(".error-box");
  await again.context.close();

  await page.reload();
  await page.waitForSelector("#title");
  await page.getByRole("button", { name: "Encerrar: Bia Balcão" }).click();
  await page.getByText("A sessão foi encerrada.").waitFor();
  await clerk.page.evaluate(() => (location.hash = "/orders"));
  await clerk.page.waitForSelector("#f-email");
  await clerk.context.close();
  const log = page.getByRole("table", { name: "Alterações" });
  for (const [change, by] of [
    ["Adicionou um usuário", "Cantina Demo"],
    ["Definiu uma senha por link", "Bia Balcão"],
    ["Entrou no painel", "Bia Balcão"],
  ]) {
    await page.reload();
    await log.locator("tr", { hasText: change }).filter({ hasText: by }).first().waitFor();
  }
  await page.getByRole("button", { name: `Remover: Bia Balcão` }).first().click();
  await page.click("dialog button[type=submit]");
  await page.getByText("O usuário foi removido.").waitFor();
  assert.deepEqual(owner.pageErrors, []);
  assert.deepEqual(clerk.pageErrors, []);
});

test("a wrong current password is shown at its field", async () => {
  const { page } = owner;
  await goTo(page, "/access");
  const form = page.getByTestId("own-password");
  await form.locator("#f-currentPassword").fill("not the password");
  await form.locator("#f-newPassword").fill(PASSWORD);
  await form.locator("button[type=submit]").click();
  await form.locator(".field.invalid #f-currentPassword").waitFor();
  assert.equal(
    await form.locator("#f-newPassword").inputValue(),
    PASSWORD,
    "nothing typed is lost",
  );
});
