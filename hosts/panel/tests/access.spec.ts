// Users with roles, sessions, passwords set with a link, and the log of changes.
import { PASSWORD, api, uniqueEmail } from "./support/api";
import { expect, test } from "./support/fixtures";
import { goTo, isAt } from "./support/page";

const NEW_PASSWORD = "a senha da Bia 2026";

test("an owner adds a clerk, who sets a password and cannot open keys", async ({
  panel: page,
  store,
  open,
}) => {
  const email = uniqueEmail("bia");
  await goTo(page, "/access");
  await page.getByRole("button", { name: "Adicionar usuário" }).click();
  await page.fill("dialog #f-name", "Bia Balcão");
  await page.fill("dialog #f-email", "sem arroba");
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await page.click("dialog button[type=submit]");
  await expect(page.locator("dialog .field.invalid #f-email")).toBeVisible();
  await page.fill("dialog #f-email", email);
  await page.click("dialog button[type=submit]");
  const secret = page.locator(".secret code");
  await expect(secret).toHaveText(/\/#\/password\/.{20,}$/);
  const link = `/${new URL(await secret.innerText()).hash}`;

  const clerk = await open();
  await clerk.goto(link);
  await expect(clerk.locator("#f-newPassword")).toBeVisible();
  // The code has left the address.
  await isAt(clerk, "#/password");
  await clerk.fill("#f-newPassword", "curta");
  await clerk.fill("#f-repeated", "outra");
  await clerk.click("button[type=submit]");
  await expect(clerk.locator(".field.invalid #f-repeated")).toBeVisible();
  await expect(clerk.locator("#f-repeated-error")).toHaveText("As senhas são diferentes.");
  await expect(clerk.locator("#f-repeated")).toHaveAttribute(
    "aria-describedby",
    "f-repeated-error",
  );
  await clerk.fill("#f-repeated", "curta");
  await clerk.click("button[type=submit]");
  await expect(clerk.locator(".field.invalid #f-newPassword").first()).toBeVisible();
  await clerk.fill("#f-newPassword", NEW_PASSWORD);
  await clerk.fill("#f-repeated", NEW_PASSWORD);
  await clerk.click("button[type=submit]");
  await clerk.getByRole("button", { name: "Entrar" }).click();
  await clerk.fill("#f-email", email);
  await clerk.fill("#f-password", NEW_PASSWORD);
  await clerk.click("button[type=submit]");
  await expect(clerk.locator(".side")).toBeVisible();
  const menu = () =>
    clerk.locator("nav a").evaluateAll((links) => links.map((one) => one.getAttribute("href")));
  const pages = ["orders", "orders/new", "cash", "notifications", "access", "settings"];
  const routes = pages.map((one) => `#/${one}`);
  await expect.poll(menu).toEqual(routes);
  const rejected = await api(clerk, "GET", "/delivery/keys");
  expect([rejected.status, rejected.body.code]).toEqual([403, "role_not_allowed"]);
  await goTo(clerk, "/keys");
  await expect(clerk.locator(".state[role=alert]").first()).toBeVisible();
  await goTo(clerk, "/settings");
  await expect(clerk.locator("[data-testid=attention]")).toBeVisible();
  await expect(clerk.locator("[data-testid=tracking]")).toHaveCount(0);
  await goTo(clerk, "/access");
  await expect(clerk.getByText("Esta sessão")).toBeVisible();
  await expect(
    clerk.getByText("Login da própria loja"),
    "a clerk sees the own sessions only",
  ).toHaveCount(0);

  // A used link is rejected.
  const again = await open();
  await again.goto(link);
  await again.fill("#f-newPassword", NEW_PASSWORD);
  await again.fill("#f-repeated", NEW_PASSWORD);
  await again.click("button[type=submit]");
  await expect(again.locator(".error-box")).toBeVisible();

  await page.reload();
  await expect(page.locator("#title")).toBeVisible();
  await page.getByRole("button", { name: "Encerrar: Bia Balcão" }).click();
  await expect(page.getByText("A sessão foi encerrada.")).toBeVisible();
  await clerk.evaluate(() => {
    location.hash = "/orders";
  });
  await expect(clerk.locator("#f-email")).toBeVisible();
  const log = page.getByRole("table", { name: "Alterações" });
  for (const [change, by] of [
    ["Adicionou um usuário", store.name],
    ["Definiu uma senha por link", "Bia Balcão"],
    ["Entrou no painel", "Bia Balcão"],
  ]) {
    await page.reload();
    await expect(
      log.locator("tr", { hasText: change }).filter({ hasText: by }).first(),
    ).toBeVisible();
  }
  await page.getByRole("button", { name: `Remover: Bia Balcão` }).first().click();
  await page.click("dialog button[type=submit]");
  await expect(page.getByText("O usuário foi removido.")).toBeVisible();
});

test("a wrong current password is shown at its field", async ({ panel: page }) => {
  await goTo(page, "/access");
  const form = page.getByTestId("own-password");
  await form.locator("#f-currentPassword").fill("not the password");
  await form.locator("#f-newPassword").fill(NEW_PASSWORD);
  await form.locator("button[type=submit]").click();
  await expect(form.locator(".field.invalid #f-currentPassword")).toBeVisible();
  await expect(form.locator("#f-newPassword"), "nothing typed is lost").toHaveValue(NEW_PASSWORD);
});
