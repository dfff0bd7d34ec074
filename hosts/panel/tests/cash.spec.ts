// The cash of a courier: change, a delivery paid in cash, and a blind closing with a difference that is printed.
import type { Body } from "./support/api";
import { nextIs, queueEmpty, testId, type Place } from "./support/courier-app";
import { expect, test } from "./support/fixtures";
import { axeViolations, goTo, printed, screenshot } from "./support/page";

const place = (street: string, latitude: number, longitude: number): Place => ({
  street,
  number: "100",
  city: "Londrina",
  state: "PR",
  latitude,
  longitude,
});
const PICKUP = place("Avenida Paraná", -23.3103, -51.1628);
const DOOR = place("Rua Sergipe", -23.3079, -51.1601);

test("a shift ends with a blind closing that misses R$ 2,90", async ({ panel, store, openApp }) => {
  await panel.addInitScript(() => {
    // The test prints the sheet itself.
    globalThis.print = () => document.documentElement.setAttribute("data-printed", "");
  });
  await panel.reload();
  await goTo(panel, "/cash");
  await expect(panel.getByText("Nenhum entregador está com dinheiro desta loja.")).toBeVisible();

  const { page } = await openApp("Caio", DOOR);
  const order: Body = await store.order({
    pickupAddress: PICKUP,
    preparationTime: 0,
    deliveries: [
      {
        name: "Ana Lima",
        onlinePayment: false,
        payment: { method: "CASH", changeFor: 100, returns: false },
        productValue: 57.9,
        address: DOOR,
      },
    ],
  });
  await store.orderWith(order.id, 210);

  // The courier is at the counter for the first order.
  await panel.reload();
  const row = panel.getByRole("row", { name: /Caio/ });
  await expect(row).toContainText("1 (R$ 57,90 em dinheiro)");
  await row.getByRole("button", { name: /^Troco inicial/ }).click();
  await panel.locator("dialog #f-amount").fill("0");
  await panel.locator("dialog button[type=submit]").click();
  await expect(panel.locator("dialog .field.invalid #f-amount")).toBeVisible();
  await panel.locator("dialog #f-amount").fill("50,00");
  await panel.locator("dialog #f-reference").fill("Envelope 3");
  await panel.locator("dialog button[type=submit]").click();
  await expect(panel.locator("dialog")).toHaveCount(0);
  await expect(row.locator("[data-label='Troco inicial']")).toHaveText("R$ 50,00");

  for (const next of ["Cheguei à coleta", "Pedido coletado"]) {
    await nextIs(page, next);
    await testId(page, "next").click();
  }
  await page.fill("#step-code", order.pickupCode);
  await testId(page, "submit").click();
  for (const next of ["Sair para a entrega", "Cheguei", "Pedido entregue"]) {
    await nextIs(page, next);
    await testId(page, "next").click();
  }
  await page.check("#step-paid");
  await testId(page, "submit").click();
  await queueEmpty(page);
  await store.orderWith(order.id, 500);
  const cash = testId(page, "cash");
  await expect(cash).toContainText("Dinheiro com você");
  await expect(cash.locator("dd")).toHaveText("R$ 107,90");
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "courier-cash");
  await page.emulateMedia({ colorScheme: "dark" });
  await screenshot(page, "courier-cash-dark");

  await panel.reload();
  await expect(row.locator("[data-label='Em mãos']")).toHaveText("R$ 107,90");
  expect(await axeViolations(panel)).toEqual([]);
  await screenshot(panel, "cash");
  await panel.emulateMedia({ colorScheme: "dark" });
  await panel.setViewportSize({ width: 390, height: 844 });
  expect(await axeViolations(panel)).toEqual([]);
  await screenshot(panel, "cash-phone-dark");
  await panel.emulateMedia({ colorScheme: "light" });
  await screenshot(panel, "cash-phone");
  await panel.setViewportSize({ width: 1280, height: 800 });

  // The count comes first: the dialog does not say what is expected.
  await row.getByRole("button", { name: /^Acerto/ }).click();
  const count = testId(panel, "close-cash");
  await expect(count).not.toContainText("107,90");
  await panel.locator("dialog #f-counted").fill("105");
  await panel.locator("dialog #f-slips").fill("32,50 Elo 038471");
  await screenshot(panel, "cash-count");
  await panel.locator("dialog button[type=submit]").click();
  const closed = testId(panel, "closed-cash");
  await expect(closed).toContainText("Faltam R$ 2,90.");
  await expect(closed).toContainText("R$ 107,90");
  await panel.locator("dialog #f-reason").fill("Troco errado na entrega");
  await panel.locator("dialog button[type=submit]").click();
  await expect(closed).toContainText("Motivo da diferença: Troco errado na entrega");
  expect(await axeViolations(panel)).toEqual([]);
  await screenshot(panel, "cash-closed");

  await closed.getByRole("button", { name: "Imprimir" }).click();
  await expect(panel.locator("html[data-printed]")).toBeAttached();
  const sheet = panel.locator(".print-sheet");
  await expect(sheet).toContainText("Acerto: Caio");
  await expect(sheet).toContainText("-R$ 2,90");
  await expect(sheet).toContainText("Elo 038471");
  await panel.emulateMedia({ media: "print" });
  await expect(closed).toBeHidden();
  await panel.emulateMedia({ media: null });
  const pdf = await printed(panel, "cash-closing");
  const pages = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) [\d.]+\]/g)];
  expect(pages.map((box) => Math.round((Number(box[1]) / 72) * 25.4))).toEqual([80]);
  await expect(sheet).toHaveCount(0);
  await closed.getByRole("button", { name: "Concluir" }).click();

  await expect(row.locator("[data-label='Em mãos']")).toHaveText("R$ 0,00");
  await expect(row).toContainText("Faltam R$ 2,90.");
  await expect(row.getByRole("button", { name: /^Acerto/ })).toHaveCount(0);
});
