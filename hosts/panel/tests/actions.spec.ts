// Exceptions in the life of an order: returned and discarded goods, delays, cancellations, failing webhook receivers.
import { uniqueCode, until, type Body } from "./support/api";
import { expect, test } from "./support/fixtures";
import {
  confirmSession,
  dialog,
  dialogClosed,
  expectMarksInsideMap,
  goTo,
  isAt,
  screenshot,
} from "./support/page";
import type { Locator, Page } from "@playwright/test";

/** Porto Alegre, because no other courier is near. */
const place = (street: string, latitude: number, longitude: number) => ({
  street,
  number: "100",
  city: "Porto Alegre",
  state: "RS",
  latitude,
  longitude,
});
const PICKUP = place("Rua dos Andradas", -30.0297, -51.2336);
const DOORS = [
  place("Rua da República", -30.0386, -51.2205),
  place("Rua Lima e Silva", -30.0401, -51.2221),
  place("Rua Riachuelo", -30.0325, -51.2301),
];

/** Presses a button of a page or dialog. */
const press = (scope: Page | Locator, name: string) =>
  scope.getByRole("button", { name, exact: false }).first().click();
const stop = (page: Page, name: string) => page.locator(".stops > li", { hasText: name });

test("order with discarded and returned goods is closed without a return", async ({
  panel: page,
  store,
  courier,
}) => {
  const names = ["Ana Lima", "Bruno Reis", "Caio Melo"];
  const deliveries = DOORS.map((address, at) => ({
    name: names[at],
    address,
    onlinePayment: true,
  }));
  const rider = await courier("Rita de Teste", PICKUP);
  const made = await store.api("POST", "/delivery/orders", {
    code: uniqueCode("VOLTA"),
    pickupAddress: PICKUP,
    deliveries,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id, pickupCode } = made.body;
  await until(
    () => store.api("GET", `/delivery/orders/${id}`),
    ({ body }) => body.situation === 210,
  );
  await goTo(page, "/orders");
  await expect(
    page.locator(".orders tr", { hasText: made.body.code }).getByText("Rita de Teste"),
  ).toBeVisible();
  const there = `orders/${id}`;
  await rider.send(`${there}/arrive`);
  await rider.send(`${there}/pickup`, { code: pickupCode });
  await rider.send(`${there}/en-route`, { deliveryId: made.body.deliveries[0].id });
  await rider.send(`${there}/at-door`, { deliveryId: made.body.deliveries[0].id });
  await goTo(page, `/orders/${id}`);
  await expect(stop(page, "Ana Lima").getByText("Na porta")).toBeVisible();

  await press(stop(page, "Ana Lima"), "Descartar mercadoria");
  await screenshot(page, "dialog-discard");
  await press(dialog(page), "Descartar mercadoria");
  await dialogClosed(page);
  await expect(stop(page, "Ana Lima").getByText("Descartado")).toBeVisible();
  // Codes of completed steps are dimmed; an order that is out for delivery cannot be cancelled.
  await expect(stop(page, "Ana Lima").locator(".used strong")).toHaveText(
    made.body.deliveries[0].deliveryCode,
  );
  await expect(stop(page, "Bruno Reis").locator(".used")).toHaveCount(0);
  await expect(page.locator(".code.used")).toHaveText(pickupCode);
  await expect(page.getByRole("button", { name: "Cancelar pedido" })).toHaveCount(0);
  // Every mark is inside the map, and the courier is named.
  await expect(page.locator(".map .courier-name", { hasText: "Rita de Teste" })).toBeVisible();
  await expectMarksInsideMap(page);

  await press(stop(page, "Bruno Reis"), "Devolver mercadoria");
  await press(dialog(page), "Devolver mercadoria");
  // The field shows the API's text for a missing reason.
  const rejected = await store.api(
    "POST",
    `/delivery/orders/${id}/return`,
    { deliveryId: made.body.deliveries[1].id, reason: "" },
    "pt-BR",
  );
  expect(rejected.status).toBe(422);
  await expect(dialog(page).locator("#f-reason-error")).toHaveText(rejected.body.errors[0].detail);
  await page.fill("#f-reason", "Endereço errado");
  await press(dialog(page), "Devolver mercadoria");
  await dialogClosed(page);
  await expect(stop(page, "Bruno Reis").getByText("Em devolução")).toBeVisible();
  await expect(page.locator(".timeline").getByText("Endereço errado")).toBeVisible();

  await press(stop(page, "Caio Melo"), "Devolver mercadoria");
  await page.fill("#f-reason", "Cliente desistiu");
  await press(dialog(page), "Devolver mercadoria");
  await dialogClosed(page);
  await expect(page.locator(".heading .badge", { hasText: "Em devolução" })).toBeVisible();
  await screenshot(page, "order-returning");
  await press(page, "Dispensar a devolução");
  await press(dialog(page), "Dispensar a devolução");
  await dialogClosed(page);
  const closed = await until(
    () => store.api("GET", `/delivery/orders/${id}`),
    ({ body }) => body.situation >= 500,
  );
  expect(closed.body.deliveries.find((one: Body) => one.name === "Ana Lima").situation).toBe(550);
  await expect(
    page.locator(".heading .badge", { hasText: /Não entregue|Parcialmente entregue/ }),
  ).toBeVisible();
  await expect(page.locator(".actions button"), "a closed order can only be repeated").toHaveText([
    "Repetir",
  ]);
});

test("preparing order can be delayed, marked as ready and cancelled", async ({
  panel: page,
  store,
}) => {
  const deliveries = DOORS.slice(0, 2).map((address, at) => ({
    name: ["Duda Paz", "Enzo Sá"][at],
    address,
  }));
  const made = await store.api("POST", "/delivery/orders", {
    code: uniqueCode("TARDE"),
    preparationTime: 30,
    pickupAddress: PICKUP,
    deliveries,
  });
  await goTo(page, `/orders/${made.body.id}`);
  await press(page, "Informar atraso");
  await page.fill("#f-minutes", "dez");
  await press(dialog(page), "Informar atraso");
  await expect(dialog(page).locator("#f-minutes-error")).toBeVisible();
  await page.fill("#f-minutes", "0");
  await press(dialog(page), "Informar atraso");
  const rejected = await store.api(
    "POST",
    `/delivery/orders/${made.body.id}/delay`,
    { minutes: 0 },
    "pt-BR",
  );
  await expect(page.locator("#f-minutes-error").first()).toHaveText(rejected.body.errors[0].detail);
  await screenshot(page, "dialog-delay-rejected");
  await page.fill("#f-minutes", "15");
  await press(dialog(page), "Informar atraso");
  await dialogClosed(page);
  await expect(page.locator(".timeline li").nth(1)).toBeVisible();

  await press(stop(page, "Enzo Sá"), "Cancelar entrega");
  await press(dialog(page), "Cancelar entrega");
  await dialogClosed(page);
  await expect(stop(page, "Enzo Sá").getByText("Cancelado")).toBeVisible();
  // The last stop of an order can only be cancelled with the order.
  await expect(page.getByRole("button", { name: /Cancelar entrega/ })).toHaveCount(0);

  await press(page, "Marcar como pronto");
  await expect(page.locator(".heading .badge", { hasText: "Buscando entregador" })).toBeVisible();
  await press(page, "Cancelar pedido");
  await expect(dialog(page).getByText("grátis")).toBeVisible();
  await page.fill("#f-reason", "Falta de estoque");
  await screenshot(page, "dialog-cancel");
  await press(dialog(page), "Cancelar pedido");
  await dialogClosed(page);
  await expect(page.locator(".heading .badge", { hasText: "Cancelado" })).toBeVisible();
  await expect(page.locator(".timeline").getByText("Falta de estoque")).toBeVisible();
});

test("failing webhook is stopped, resumed and given a new secret", async ({
  panel: page,
  store,
  receiver,
}) => {
  receiver.status = 500;
  const { url } = receiver;
  await confirmSession(page);
  const made = await store.api("POST", "/delivery/webhooks", {
    url,
    events: ["order.return_waived"],
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  await goTo(page, `/webhooks/${made.body.id}`);
  const badge = page.locator(".page-head + .bits .badge");
  const log = page.locator(".table tbody tr");
  for (let sent = 1; (await badge.innerText()) === "Ativo" && sent < 12; sent += 1) {
    const before = await log.count();
    await press(page, "Enviar um teste");
    await until(
      async () => [await log.count(), await badge.innerText()],
      ([count = 0, state]) => Number(count) > before || state !== "Ativo",
    );
  }
  await expect(page.getByText("Parado após falhas")).toBeVisible();
  await expect(page.locator(".notice")).toBeVisible();
  await screenshot(page, "webhook-stopped");
  receiver.status = 204;
  await press(page, "Retomar");
  await expect(page.locator(".bits .badge", { hasText: "Ativo" })).toBeVisible();
  await expect(log.filter({ hasText: "HTTP 204" }).first()).toBeVisible();

  await press(page, "Novo segredo");
  await press(dialog(page), "Novo segredo");
  await dialogClosed(page);
  const secret = await page.locator(".secret code").innerText();
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(made.body.secret);
  await expect(page.getByText("Segredo antigo em uso até")).toBeVisible();

  // After a 410 only removal is offered.
  receiver.status = 410;
  await press(page, "Enviar um teste");
  await expect(page.getByText("Encerrado pelo destino")).toBeVisible();
  await expect(page.getByRole("button", { name: "Retomar" })).toHaveCount(0);
  await press(page, "Remover");
  await press(dialog(page), "Remover");
  await isAt(page, "#/webhooks");
  await expect(page.getByText(url)).toHaveCount(0);
});
