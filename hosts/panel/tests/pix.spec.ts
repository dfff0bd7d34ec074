// Pix: a store's key, the code in the courier's app and on the recipient's page, the record of the payment, and top-ups.
import { PASSWORD, operator, succeeds, until, type Body } from "./support/api";
import {
  cutNetwork,
  nextIs,
  phoneAt,
  queueEmpty,
  queueHas,
  testId,
  type Place,
} from "./support/courier-app";
import { expect, test } from "./support/fixtures";
import { axeViolations, goTo, screenshot } from "./support/page";
import type { Page } from "@playwright/test";

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

/** Sets the store's Pix key in the panel, which asks for the password. */
async function setKey(panel: Page): Promise<void> {
  await goTo(panel, "/settings");
  const form = testId(panel, "payments");
  await form.getByLabel("Chave Pix").fill("11.222.333/0001-80");
  await form.getByLabel("Nome do recebedor").fill("Empório Central");
  await form.getByRole("button", { name: "Salvar" }).click();
  await expect(form.locator(".field.invalid #f-pix-key")).toBeVisible();
  await form.getByLabel("Chave Pix").fill("11.222.333/0001-81");
  await form.getByRole("button", { name: "Salvar" }).click();
  await panel.locator("dialog #f-currentPassword").fill(PASSWORD);
  await panel.locator("dialog button[type=submit]").click();
  await expect(form.getByLabel("Chave Pix")).toHaveValue("11222333000181");
}

const codeOf = (page: Page) => testId(page, "pix-code").locator("code").textContent();

test("a courier shows the code without a network and records the payment", async ({
  panel,
  store,
  openApp,
  open,
}) => {
  await setKey(panel);
  await succeeds(store.key, "PUT", `/delivery/stores/${store.id}/tracking`, { enabled: true });
  const { page } = await openApp("Lia", DOOR);
  const order: Body = await store.order({
    pickupAddress: PICKUP,
    preparationTime: 0,
    deliveries: [
      {
        name: "Ana Lima",
        onlinePayment: false,
        payment: { method: "PIX" },
        productValue: 57.9,
        address: DOOR,
      },
    ],
  });
  const [stop] = order.deliveries;
  expect(order.returnCode).toBeNull();
  const { brCode } = stop.payment.pix;
  expect(brCode).toContain("5915EMPORIO CENTRAL");

  await store.orderWith(order.id, 210);
  await nextIs(page, "Cheguei à coleta");
  await testId(page, "next").click();
  await testId(page, "next").click();
  await page.fill("#step-code", order.pickupCode);
  await testId(page, "submit").click();
  await nextIs(page, "Sair para a entrega");
  await testId(page, "next").click();
  await nextIs(page, "Cheguei");
  await testId(page, "next").click();
  await nextIs(page, "Pedido entregue");
  await queueEmpty(page);

  const reconnect = await cutNetwork(page);
  await page.reload();
  await testId(page, "pix").click();
  const code = testId(page, "pix-code");
  await expect(code.getByText("R$ 57,90")).toBeVisible();
  await expect(code.getByText("Empório Central")).toBeVisible();
  await expect(code.getByText(/não sabe se o Pix foi pago/)).toBeVisible();
  await expect(code.locator("svg path")).toHaveAttribute("d", /^M/);
  expect(await codeOf(page)).toBe(brCode);
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "courier-pix");
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "courier-pix-dark");
  await code.getByRole("button", { name: "Fechar" }).click();

  await testId(page, "next").click();
  await page.check("#step-paid");
  await page.getByText("Outro valor ou outra forma").click();
  await page.fill("#step-received", "50");
  await page.fill("#step-reference", "E904");
  await screenshot(page, "courier-pix-deliver-dark");
  await testId(page, "submit").click();
  await queueHas(page, 1);
  await reconnect();
  await queueEmpty(page);

  const found = await store.orderWith(order.id, 500);
  expect(found.deliveries[0].paymentsReceived).toMatchObject([
    { method: "PIX", amount: 50, reference: "E904" },
  ]);

  // The counter corrects the amount after the order's end.
  await goTo(panel, `/orders/${order.id}`);
  await expect(testId(panel, "received")).toHaveText("Recebido: Pix R$ 50,00");
  await panel.getByRole("button", { name: /^Código Pix/ }).click();
  expect(await codeOf(panel)).toBe(brCode);
  await screenshot(panel, "order-pix");
  await panel.getByRole("button", { name: "Fechar" }).first().click();
  await panel.getByRole("button", { name: /^Registrar pagamento/ }).click();
  await panel.locator("dialog #f-reference").fill("E905");
  await panel.locator("dialog button[type=submit]").click();
  await expect(testId(panel, "received")).toHaveText("Recebido: Pix R$ 57,90");

  // A recipient whose Pix is recorded has nothing to pay.
  const recipient = await open(phoneAt(DOOR));
  await recipient.goto(new URL(stop.trackingUrl).pathname);
  await expect(recipient.getByRole("heading", { level: 1 })).toHaveText("Seu pedido foi entregue");
  await expect(recipient.locator(".pix")).toHaveCount(0);
});

test("a recipient copies the code", async ({ panel, store, open }) => {
  await setKey(panel);
  await succeeds(store.key, "PUT", `/delivery/stores/${store.id}/tracking`, { enabled: true });
  const order: Body = await store.order({
    deliveries: [
      {
        name: "Ana Lima",
        onlinePayment: false,
        payment: { method: "PIX" },
        productValue: 1234.5,
        address: {
          street: "Rua Augusta",
          number: "900",
          city: "São Paulo",
          state: "SP",
          latitude: -23.553,
          longitude: -46.656,
        },
      },
    ],
  });
  const [stop] = order.deliveries;
  const page = await open({
    ...phoneAt(DOOR),
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.goto(new URL(stop.trackingUrl).pathname);
  const pay = page.locator(".pix");
  await expect(pay.getByText("R$ 1.234,50")).toBeVisible();
  await expect(pay.locator("textarea")).toHaveValue(stop.payment.pix.brCode);
  await pay.getByRole("button", { name: "Copiar código Pix" }).click();
  await expect(pay.getByRole("button", { name: "Copiado" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(stop.payment.pix.brCode);
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "recipient-pix");
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "recipient-pix-dark");
  // The page follows the order: the code disappears when the counter records the payment.
  await succeeds(store.key, "POST", `/delivery/orders/${order.id}/payment`, {
    deliveryId: stop.id,
    received: 1234.5,
  });
  await expect(pay).toHaveCount(0);
});

test("a top-up is pending until the operator confirms it", async ({
  panel,
  store,
  openConsole,
}) => {
  await goTo(panel, "/balance");
  const card = testId(panel, "top-ups");
  await card.locator("#f-amount").fill("250,00");
  await card.getByRole("button", { name: "Mostrar código Pix" }).click();
  const code = testId(panel, "pix-code");
  await expect(code.getByText("R$ 250,00")).toBeVisible();
  await expect(code.getByText(`T${store.id}N1`, { exact: true })).toBeVisible();
  expect(await axeViolations(panel)).toEqual([]);
  await screenshot(panel, "top-up");
  await panel.locator("dialog").getByRole("button", { name: "Fechar" }).click();
  await expect(card.getByText("Pendente", { exact: true })).toBeVisible();
  await screenshot(panel, "balance-pending");

  const console = await openConsole();
  await goTo(console, `/stores/${store.id}`);
  const requests = testId(console, "top-up-requests");
  await requests.getByRole("button", { name: "Confirmar" }).click();
  await screenshot(console, "console-top-up");
  await console.locator("dialog button[type=submit]").click();
  await expect(requests.getByText("Confirmada")).toBeVisible();

  await until(
    () => operator("GET", `/admin/stores/${store.id}`),
    ({ body }) => body.balance === 250,
  );
  await panel.reload();
  await expect(card.getByText("Confirmada")).toBeVisible();
  await expect(panel.locator("p.amount")).toHaveText("R$ 250,00");
});
