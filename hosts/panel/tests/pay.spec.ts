// Pay: the operator writes a plan and the terms of a courier, who sees what a trip pays and what it earned.
import { request, uniqueCode } from "./support/api";
import { allocated, orderFor, result, takeStep, testId } from "./support/courier-app";
import { expect, test } from "./support/fixtures";
import { defectsEverywhere, goTo, isAt, screenshot } from "./support/page";

const CITY = { city: "Florianópolis", state: "SC" };
const place = (street: string, latitude: number, longitude: number) => ({
  street,
  number: "100",
  latitude,
  longitude,
});
const [PICKUP, DELIVERIES] = orderFor(CITY, place("Rua Felipe Schmidt", -27.5969, -48.5495), [
  place("Rua Conselheiro Mafra", -27.5951, -48.5521),
  place("Rua Tenente Silveira", -27.5962, -48.5511),
]);
const version = () => uniqueCode("P").replaceAll(/[^A-Z0-9-]/g, "");

test("operator writes a plan, and the courier earns its lines when the order ends", async ({
  console: page,
  openApp,
  store,
}) => {
  const name = `plano-${version()}`;
  await goTo(page, "/pay");
  await page.getByRole("button", { name: "Novo plano" }).click();
  await page.fill("#f-name", name);
  await page.fill("#f-plan-version", version());
  await page.fill("#f-plan-perTrip", "-4");
  await expect(page.locator("#f-plan-perTrip-error")).toBeVisible();
  await page.fill("#f-plan-perTrip", "4");
  await page.fill("#f-plan-perDelivery", "3,50");
  await expect(page.locator("#f-plan-perTrip-error")).toHaveCount(0);
  await expect(testId(page, "pay-preview").locator("tr").first()).toContainText("7,50");
  // A time that is none is an error of its field, and the last prices stay.
  await page.fill("#f-samples-time", "meio-dia");
  await expect(page.locator("#f-samples-time-error")).toBeVisible();
  await expect(testId(page, "pay-preview")).toHaveClass(/old/);
  await page.fill("#f-samples-time", "12:00");
  await expect(testId(page, "pay-preview")).not.toHaveClass(/old/);
  expect(await defectsEverywhere(page, "pay-editor")).toEqual([]);
  await page.getByRole("button", { name: "Pôr em vigor" }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Pôr em vigor" }).click();
  await isAt(page, "#/pay");
  const row = page.locator("tbody tr", { hasText: name });
  await expect(row).toContainText("Em vigor");

  // A copy does not replace another draft without a question.
  await page.getByRole("button", { name: "Novo plano" }).click();
  await page.fill("#f-name", "rascunho");
  await goTo(page, "/pay");
  await row.getByRole("button", { name: /^Copiar/ }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Voltar" }).click();
  await expect(page.locator("dialog[open]")).toHaveCount(0);
  await page.getByRole("link", { name: "Continuar" }).click();
  await expect(page.locator("#f-name")).toHaveValue("rascunho");

  const app = await openApp("Rita Ganhos", { latitude: -27.597, longitude: -48.5496 });
  await goTo(page, `/couriers/${app.rider.id}`);
  await testId(page, "terms").getByLabel("Plano").selectOption(name);
  await testId(page, "terms").getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Os ganhos foram salvos.")).toBeVisible();

  const order = await allocated(store, PICKUP, DELIVERIES.slice(1));
  const pay = testId(app.page, "trip-pay");
  await expect(pay).toContainText("7,50");
  await pay.locator("summary").click();
  await expect(pay).toContainText("Saída");
  await screenshot(app.page, "pay-trip");
  await takeStep(app.page, store, "arrive", order);
  await takeStep(app.page, store, "pickup", order);
  await expect(pay).toHaveCount(0);
  await takeStep(app.page, store, "en-route", order);
  await takeStep(app.page, store, "at-door", order);
  await testId(app.page, "next").click();
  await testId(app.page, "submit").click();
  await testId(app.page, "earned").click();
  await expect(testId(app.page, "today")).toContainText("7,50");
  await expect(testId(app.page, "earned-order")).toContainText("Entregas");
  await screenshot(app.page, "pay-today");
  expect((await result(store, order.id)).situation).toBe(500);
  const earned = await request(app.rider.key, "GET", "/courier/earnings");
  expect(earned.body.entries.map((one: { type: string }) => one.type)).toEqual([
    "trip",
    "delivery",
  ]);
});
