// Exceptions in the life of an order: returned and discarded goods, delays, cancellations, failing webhook receivers.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import {
  api,
  confirmSession,
  courier,
  goTo,
  launch,
  openLoggedIn,
  outsideMap,
  screenshot,
  uniqueCode,
  until,
} from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Porto Alegre, because no other courier is near. */
const place = (street, latitude, longitude) => ({
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
const press = (scope, name) => scope.getByRole("button", { name, exact: false }).first().click();
const dialog = (page) => page.locator("dialog[open]");
const dialogClosed = (page) => page.waitForSelector("dialog[open]", { state: "detached" });
const stop = (page, name) => page.locator(".stops > li", { hasText: name });

test("order with discarded and returned goods is closed without a return", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const names = ["Ana Lima", "Bruno Reis", "Caio Melo"];
  const deliveries = DOORS.map((address, at) => ({
    name: names[at],
    address,
    onlinePayment: true,
  }));
  const rider = await courier("Rita de Teste");
  await rider.send("position", { latitude: PICKUP.latitude, longitude: PICKUP.longitude });
  const made = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("VOLTA"),
    pickupAddress: PICKUP,
    deliveries,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, pickupCode } = made.body;
  await until(
    () => api(page, "GET", `/delivery/orders/${id}`),
    ({ body }) => body.situation === 210,
  );
  await goTo(page, "/orders");
  await page
    .locator(".orders tr", { hasText: made.body.code })
    .getByText("Rita de Teste")
    .waitFor();
  const there = `orders/${id}`;
  await rider.send(`${there}/arrive`);
  await rider.send(`${there}/pickup`, { code: pickupCode });
  await rider.send(`${there}/en-route`, { deliveryId: made.body.deliveries[0].id });
  await rider.send(`${there}/at-door`, { deliveryId: made.body.deliveries[0].id });
  await goTo(page, `/orders/${id}`);
  await stop(page, "Ana Lima").getByText("Na porta").waitFor();

  await press(stop(page, "Ana Lima"), "Descartar mercadoria");
  await screenshot(page, "dialog-discard");
  await press(dialog(page), "Descartar mercadoria");
  await dialogClosed(page);
  await stop(page, "Ana Lima").getByText("Descartado").waitFor();
  // Codes of completed steps are dimmed; an order that is out for delivery cannot be cancelled.
  assert.equal(
    await stop(page, "Ana Lima").locator(".used strong").innerText(),
    made.body.deliveries[0].deliveryCode,
  );
  assert.equal(await stop(page, "Bruno Reis").locator(".used").count(), 0);
  assert.equal(await page.locator(".code.used").innerText(), pickupCode);
  assert.equal(await page.getByRole("button", { name: "Cancelar pedido" }).count(), 0);
  // Every mark is inside the map, and the courier is named.
  await page.locator(".map .courier-name", { hasText: "Rita de Teste" }).waitFor();
  assert.deepEqual(await outsideMap(page), []);

  await press(stop(page, "Bruno Reis"), "Devolver mercadoria");
  await press(dialog(page), "Devolver mercadoria");
  // The field shows the API's text for a missing reason.
  const rejected = await api(
    page,
    "POST",
    `/delivery/orders/${id}/return`,
    { deliveryId: made.body.deliveries[1].id, reason: "" },
    "pt-BR",
  );
  assert.equal(rejected.status, 422);
  assert.equal(
    await dialog(page).locator("#f-reason-error").innerText(),
    rejected.body.errors[0].detail,
  );
  await page.fill("#f-reason", "Endereço errado");
  await press(dialog(page), "Devolver mercadoria");
  await dialogClosed(page);
  await stop(page, "Bruno Reis").getByText("Em devolução").waitFor();
  await page.locator(".timeline").getByText("Endereço errado").waitFor();

  await press(stop(page, "Caio Melo"), "Devolver mercadoria");
  await page.fill("#f-reason", "Cliente desistiu");
  await press(dialog(page), "Devolver mercadoria");
  await dialogClosed(page);
  await page.locator(".heading .badge", { hasText: "Em devolução" }).waitFor();
  await screenshot(page, "order-returning");
  await press(page, "Dispensar a devolução");
  await press(dialog(page), "Dispensar a devolução");
  await dialogClosed(page);
  const closed = await until(
    () => api(page, "GET", `/delivery/orders/${id}`),
    ({ body }) => body.situation >= 500,
  );
  assert.equal(closed.body.deliveries.find((one) => one.name === "Ana Lima").situation, 550);
  await page
    .locator(".heading .badge", { hasText: /Não entregue|Parcialmente entregue/ })
    .waitFor();
  assert.equal(await page.locator(".actions button").count(), 0, "a closed order has no actions");
  await rider.stop();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("preparing order can be delayed, marked as ready and cancelled", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const deliveries = DOORS.slice(0, 2).map((address, at) => ({
    name: ["Duda Paz", "Enzo Sá"][at],
    address,
  }));
  const made = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("TARDE"),
    preparationTime: 30,
    pickupAddress: PICKUP,
    deliveries,
  });
  await goTo(page, `/orders/${made.body.id}`);
  await press(page, "Informar atraso");
  await page.fill("#f-minutes", "dez");
  await press(dialog(page), "Informar atraso");
  await dialog(page).locator("#f-minutes-error").waitFor();
  await page.fill("#f-minutes", "0");
  await press(dialog(page), "Informar atraso");
  const rejected = await api(
    page,
    "POST",
    `/delivery/orders/${made.body.id}/delay`,
    { minutes: 0 },
    "pt-BR",
  );
  await page.waitForFunction(
    (expected) => document.querySelector("#f-minutes-error")?.textContent === expected,
    rejected.body.errors[0].detail,
  );
  await screenshot(page, "dialog-delay-rejected");
  await page.fill("#f-minutes", "15");
  await press(dialog(page), "Informar atraso");
  await dialogClosed(page);
  await page.locator(".timeline li").nth(1).waitFor();

  await press(stop(page, "Enzo Sá"), "Cancelar entrega");
  await press(dialog(page), "Cancelar entrega");
  await dialogClosed(page);
  await stop(page, "Enzo Sá").getByText("Cancelado").waitFor();
  // The last stop of an order can only be cancelled with the order.
  assert.equal(await page.getByRole("button", { name: /Cancelar entrega/ }).count(), 0);

  await press(page, "Marcar como pronto");
  await page.locator(".heading .badge", { hasText: "Buscando entregador" }).waitFor();
  await press(page, "Cancelar pedido");
  await dialog(page).getByText("grátis").waitFor();
  await page.fill("#f-reason", "Falta de estoque");
  await screenshot(page, "dialog-cancel");
  await press(dialog(page), "Cancelar pedido");
  await dialogClosed(page);
  await page.locator(".heading .badge", { hasText: "Cancelado" }).waitFor();
  await page.locator(".timeline").getByText("Falta de estoque").waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("failing webhook is stopped, resumed and given a new secret", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  let status = 500;
  const receiver = createServer((request, response) =>
    request.resume().on("end", () => response.writeHead(status).end()),
  );
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${receiver.address().port}/${uniqueCode("loja")}`;
  await confirmSession(page);
  const made = await api(page, "POST", "/delivery/webhooks", {
    url,
    events: ["order.return_waived"],
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await goTo(page, `/webhooks/${made.body.id}`);
  const badge = page.locator(".page-head + .bits .badge");
  const log = page.locator(".table tbody tr");
  for (let sent = 1; (await badge.innerText()) === "Ativo" && sent < 12; sent += 1) {
    const before = await log.count();
    await press(page, "Enviar um teste");
    await until(
      async () => [await log.count(), await badge.innerText()],
      ([count, state]) => count > before || state !== "Ativo",
    );
  }
  await page.getByText("Parado após falhas").waitFor();
  await page.locator(".notice").waitFor();
  await screenshot(page, "webhook-stopped");
  status = 204;
  await press(page, "Retomar");
  await page.locator(".bits .badge", { hasText: "Ativo" }).waitFor();
  await log.filter({ hasText: "HTTP 204" }).first().waitFor();

  await press(page, "Novo segredo");
  await press(dialog(page), "Novo segredo");
  await dialogClosed(page);
  const secret = await page.locator(".secret code").innerText();
  assert.match(secret, /^whsec_/);
  assert.notEqual(secret, made.body.secret);
  await page.getByText("Segredo antigo em uso até").waitFor();

  // After a 410 only removal is offered.
  status = 410;
  await press(page, "Enviar um teste");
  await page.getByText("Encerrado pelo destino").waitFor();
  assert.equal(await page.getByRole("button", { name: "Retomar" }).count(), 0);
  await press(page, "Remover");
  await press(dialog(page), "Remover");
  await page.waitForFunction(() => location.hash === "#/webhooks");
  assert.equal(await page.getByText(url).count(), 0);
  assert.deepEqual(pageErrors, []);
  receiver.close();
  await context.close();
});
