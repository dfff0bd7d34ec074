// What a merchant does when something goes wrong: goods that come back or stay, late and cancelled orders, receivers that fail.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { VERGUEIRO, api, courier, fresh, goTo, launch, opened, shot, until } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Porto Alegre: no other courier is near. */
const place = (street, latitude, longitude) => ({ street, number: "100", city: "Porto Alegre", state: "RS", latitude, longitude });
const PICKUP = place("Rua dos Andradas", -30.0297, -51.2336);
const DOORS = [place("Rua da República", -30.0386, -51.2205), place("Rua Lima e Silva", -30.0401, -51.2221), place("Rua Riachuelo", -30.0325, -51.2301)];

/** A button of a page, or of the dialog that is open. */
const press = (where, name) => where.getByRole("button", { name, exact: false }).first().click();
const dialog = (page) => page.locator("dialog[open]");
const gone = (page) => page.waitForSelector("dialog[open]", { state: "detached" });
const stop = (page, name) => page.locator(".stops > li", { hasText: name });

test("a delivery is left, another comes back, and the way back is waived", async () => {
  const { page, wrongs, context } = await opened(browser);
  const names = ["Ana Lima", "Bruno Reis", "Caio Melo"];
  const deliveries = DOORS.map((address, at) => ({ name: names[at], address, onlinePayment: true }));
  const rider = await courier("Rita de Teste");
  await rider.does("position", { latitude: PICKUP.latitude, longitude: PICKUP.longitude });
  const made = await api(page, "POST", "/delivery/orders", { code: fresh("VOLTA"), pickupAddress: PICKUP, deliveries });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, pickupCode } = made.body;
  await until(() => api(page, "GET", `/delivery/orders/${id}`), ({ body }) => body.situation === 210);
  await goTo(page, "/orders");
  // The list shows the courier.
  await page.locator(".orders tr", { hasText: made.body.code }).getByText("Rita de Teste").waitFor();
  const there = `orders/${id}`;
  await rider.does(`${there}/arrive`);
  await rider.does(`${there}/pickup`, { code: pickupCode });
  await rider.does(`${there}/en-route`, { deliveryId: made.body.deliveries[0].id });
  await rider.does(`${there}/at-door`, { deliveryId: made.body.deliveries[0].id });
  await goTo(page, `/orders/${id}`);
  await stop(page, "Ana Lima").getByText("Na porta").waitFor();

  await press(stop(page, "Ana Lima"), "Não trazer de volta");
  await shot(page, "dialog-discard");
  await press(dialog(page), "Não trazer de volta");
  await gone(page);
  await stop(page, "Ana Lima").getByText("Descartado").waitFor();

  await press(stop(page, "Bruno Reis"), "Trazer de volta");
  await press(dialog(page), "Trazer de volta");
  // A missing reason is reported at the field, in the words of the API.
  const rejected = await api(page, "POST", `/delivery/orders/${id}/return`, { deliveryId: made.body.deliveries[1].id, reason: "" }, "pt-BR");
  assert.equal(rejected.status, 422);
  assert.equal(await dialog(page).locator("#f-reason-fault").innerText(), rejected.body.errors[0].detail);
  await page.fill("#f-reason", "Endereço errado");
  await press(dialog(page), "Trazer de volta");
  await gone(page);
  await stop(page, "Bruno Reis").getByText("Voltando").waitFor();
  await page.locator(".timeline").getByText("Endereço errado").waitFor();

  await press(stop(page, "Caio Melo"), "Trazer de volta");
  await page.fill("#f-reason", "Cliente desistiu");
  await press(dialog(page), "Trazer de volta");
  await gone(page);
  await page.locator(".heading .badge", { hasText: "Voltando" }).waitFor();
  await shot(page, "order-returning");
  await press(page, "Dispensar a volta");
  await press(dialog(page), "Dispensar a volta");
  await gone(page);
  const closed = await until(() => api(page, "GET", `/delivery/orders/${id}`), ({ body }) => body.situation >= 500);
  assert.equal(closed.body.deliveries.find((one) => one.name === "Ana Lima").situation, 550);
  await page.locator(".heading .badge", { hasText: /Não entregue|Entregue em parte/ }).waitFor();
  assert.equal(await page.locator(".actions button").count(), 0, "nothing is offered of an order that has ended");
  await rider.leaves();
  assert.deepEqual(wrongs, []);
  await context.close();
});

test("an order is late, is ready early, loses a stop, and is cancelled", async () => {
  const { page, wrongs, context } = await opened(browser);
  const deliveries = DOORS.slice(0, 2).map((address, at) => ({ name: ["Duda Paz", "Enzo Sá"][at], address }));
  const made = await api(page, "POST", "/delivery/orders", { code: fresh("TARDE"), preparationTime: 30, pickupAddress: PICKUP, deliveries });
  await goTo(page, `/orders/${made.body.id}`);
  await press(page, "Atrasar");
  await page.fill("#f-minutes", "dez");
  await press(dialog(page), "Atrasar");
  await dialog(page).locator("#f-minutes-fault").waitFor();
  await page.fill("#f-minutes", "0");
  await press(dialog(page), "Atrasar");
  const rejected = await api(page, "POST", `/delivery/orders/${made.body.id}/delay`, { minutes: 0 }, "pt-BR");
  await page.waitForFunction((wanted) => document.querySelector("#f-minutes-fault")?.textContent === wanted, rejected.body.errors[0].detail);
  await shot(page, "dialog-delay-rejected");
  await page.fill("#f-minutes", "15");
  await press(dialog(page), "Atrasar");
  await gone(page);
  await page.locator(".timeline li").nth(1).waitFor();

  await press(stop(page, "Enzo Sá"), "Cancelar esta entrega");
  await press(dialog(page), "Cancelar esta entrega");
  await gone(page);
  await stop(page, "Enzo Sá").getByText("Cancelado").waitFor();
  // The last stop of an order can only be cancelled with the order.
  assert.equal(await page.getByRole("button", { name: /Cancelar esta entrega/ }).count(), 0);

  await press(page, "Está pronto");
  await page.locator(".heading .badge", { hasText: "Buscando entregador" }).waitFor();
  await press(page, "Cancelar pedido");
  await dialog(page).getByText("grátis").waitFor();
  await page.fill("#f-reason", "Falta de estoque");
  await shot(page, "dialog-cancel");
  await press(dialog(page), "Cancelar pedido");
  await gone(page);
  await page.locator(".heading .badge", { hasText: "Cancelado" }).waitFor();
  await page.locator(".timeline").getByText("Falta de estoque").waitFor();
  assert.deepEqual(wrongs, []);
  await context.close();
});

test("a receiver that fails is stopped and started again, and gets a new secret", async () => {
  const { page, wrongs, context } = await opened(browser);
  let status = 500;
  const receiver = createServer((request, response) => request.resume().on("end", () => response.writeHead(status).end()));
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${receiver.address().port}/${fresh("loja")}`;
  const made = await api(page, "POST", "/delivery/webhooks", { url, events: ["order.return_waived"] });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await goTo(page, `/webhooks/${made.body.id}`);
  const badge = page.locator(".page-head + .bits .badge");
  const log = page.locator(".table tbody tr");
  for (let sent = 1; (await badge.innerText()) === "Ativo" && sent < 12; sent += 1) {
    const before = await log.count();
    await press(page, "Enviar um teste");
    await until(async () => [await log.count(), await badge.innerText()], ([count, state]) => count > before || state !== "Ativo");
  }
  await page.getByText("Parado depois de falhas").waitFor();
  await page.locator(".notice").waitFor();
  await shot(page, "webhook-stopped");
  status = 204;
  await press(page, "Retomar");
  await page.locator(".bits .badge", { hasText: "Ativo" }).waitFor();
  await log.filter({ hasText: "HTTP 204" }).first().waitFor();

  await press(page, "Novo segredo");
  await press(dialog(page), "Novo segredo");
  await gone(page);
  const secret = await page.locator(".secret code").innerText();
  assert.match(secret, /^whsec_/);
  assert.notEqual(secret, made.body.secret);
  await page.getByText("O segredo antigo assina até").waitFor();

  // After a 410 only removal is offered.
  status = 410;
  await press(page, "Enviar um teste");
  await page.getByText("Encerrado pelo receptor").waitFor();
  assert.equal(await page.getByRole("button", { name: "Retomar" }).count(), 0);
  await press(page, "Remover");
  await press(dialog(page), "Remover");
  await page.waitForFunction(() => location.hash === "#/webhooks");
  assert.equal(await page.getByText(url).count(), 0);
  assert.deepEqual(wrongs, []);
  receiver.close();
  await context.close();
});
