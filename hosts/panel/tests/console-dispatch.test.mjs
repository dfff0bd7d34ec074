// The operator's page for dispatch: a simulated pass and a real one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  api,
  courier,
  defectsEverywhere,
  goTo,
  launch,
  openLoggedIn,
  uniqueCode,
} from "./browser.mjs";
import { openConsole } from "./operator.mjs";

let browser;
let merchant;
let page;
let context;
let pageErrors;
before(async () => {
  browser = await launch();
  merchant = await openLoggedIn(browser);
  ({ page, context, pageErrors } = await openConsole(browser));
});
after(() => browser.close());

/** Curitiba, where no other test has couriers. */
const PICKUP = {
  street: "Rua XV de Novembro",
  number: "100",
  city: "Curitiba",
  state: "PR",
  latitude: -25.4296,
  longitude: -49.2713,
};
const DOOR = {
  street: "Rua Marechal Deodoro",
  number: "100",
  city: "Curitiba",
  state: "PR",
  latitude: -25.4312,
  longitude: -49.2659,
};

async function create() {
  const body = {
    code: uniqueCode("DSP"),
    preparationTime: 0,
    pickupAddress: PICKUP,
    deliveries: [{ name: "Maria Silva", onlinePayment: true, address: DOOR }],
  };
  const made = await api(merchant.page, "POST", "/delivery/orders", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

test("a simulated pass explains the orders and changes nothing", async () => {
  const order = await create();
  await goTo(page, "/dispatch");
  const isPass = (response) => response.url().endsWith("/admin/dispatch?dryRun=true");
  const [response] = await Promise.all([
    page.waitForResponse(isPass),
    page.getByRole("button", { name: "Simular uma passada" }).click(),
  ]);
  const { decisions } = await response.json();
  const shown = page.getByTestId("pass");
  await shown.getByText("Nada foi alterado.").waitFor();
  // The couriers of the sandbox may already have the order.
  const links = await shown
    .locator(".decisions > li > p:first-child > a:first-child")
    .allInnerTexts();
  assert.deepEqual(
    links,
    decisions.map((one) => `Pedido #${one.orderId}`),
  );
  await shown
    .getByText(
      decisions.length === 0
        ? "Nenhum pedido procura entregador."
        : `de ${decisions.length} pedidos em busca`,
    )
    .waitFor();
  await api(merchant.page, "POST", "/delivery/orders/cancel", { orderId: order.id });
});

test("a pass with all kinds of results is explained in words", async () => {
  const person = await courier("Rita Despacho");
  const cost = {
    lateness: 0,
    wait: 60,
    start: 0,
    travel: 125,
    length: 600,
    remoteness: 0,
    guarantee: 0,
    reoffer: 0,
    total: 785,
  };
  const decision = (orderId, outcome, courierId = null) => ({
    orderId,
    at: new Date().toISOString(),
    outcome,
    courierId,
    orders: 2,
    cost: courierId === null ? null : cost,
    considered: courierId === null ? [] : [{ courierId, cost }],
  });
  const decisions = [
    decision(900001, "ASSIGNED", person.id),
    decision(900002, "NO_COURIER"),
    decision(900003, "CAN_WAIT", person.id),
  ];
  // The couriers of the sandbox take the orders of a test before a pass of the operator can.
  await page.route("**/admin/dispatch?dryRun=true", (route) =>
    route.fulfill({
      json: { moved: 0, allocated: 1, released: 0, expired: 0, more: true, decisions },
    }),
  );
  await page.getByRole("button", { name: "Simular uma passada" }).click();
  const shown = page.getByTestId("pass");
  await shown.getByText("1 de 3 pedidos em busca seriam atribuídos a entregadores.").waitFor();
  await shown.getByText("A passada parou no seu limite.").waitFor();
  await shown.getByRole("link", { name: "Rita Despacho" }).first().waitFor();
  const lines = await shown.locator(".decisions > li").allInnerTexts();
  assert.match(lines[0], /^Pedido #900001\. Atribuído a um entregador: Rita Despacho/);
  assert.match(lines[1], /^Pedido #900002\. Nenhum entregador/);
  assert.match(lines[0], /13 min 05 s/);
  assert.deepEqual(await defectsEverywhere(page, "console-dispatch-pass"), []);
  await page.unroute("**/admin/dispatch?dryRun=true");
  await person.stop();
});

test("other settings are compared with those in force", async () => {
  const person = await courier("Rita Ajuste");
  const settings = {
    radiusKm: 1,
    maxPositionAgeMinutes: 5,
    stuckAfterMinutes: 10,
    waitLimitMinutes: 5,
    reofferAfterMinutes: 3,
    horizonMinutes: 40,
    ordersPerTrip: 3,
    detourMinutes: 20,
    readySpreadMinutes: 20,
    marginSeconds: 30,
  };
  const summary = (assigned) => ({ orders: 2, assigned, planned: assigned });
  const decision = {
    orderId: 900001,
    at: new Date().toISOString(),
    outcome: "ASSIGNED",
    courierId: person.id,
    orders: 1,
    cost: null,
    considered: [],
  };
  const form = page.getByTestId("settings");
  await form.locator("#f-radiusKm-hint", { hasText: "Agora: 10" }).waitFor();
  const radius = page.getByLabel("Distância do entregador à coleta, no máximo em km");
  await radius.fill("0");
  await form.getByRole("button", { name: "Simular com estes valores" }).click();
  await form.locator(".field-error", { hasText: "de 1 a 200" }).waitFor();
  await radius.fill("1");
  // The couriers of the sandbox take the orders of a test before a pass of the operator can.
  await page.route("**/admin/dispatch/what-if", (route) => {
    assert.equal(route.request().postDataJSON().radiusKm, 1);
    return route.fulfill({
      json: {
        settings,
        current: summary(1),
        draft: summary(0),
        changedOrders: 1,
        changed: [{ orderId: 900001, current: decision, draft: null }],
      },
    });
  });
  await form.getByRole("button", { name: "Simular com estes valores" }).click();
  const shown = page.getByTestId("comparison");
  await shown.getByText("A decisão sobre 1 pedido muda.").waitFor();
  assert.match(await shown.innerText(), /Com estes valores: nenhum entregador ao alcance/);
  assert.match(await shown.locator("pre").innerText(), /\[dispatch\]\nradius-km = 1/);
  assert.deepEqual(await defectsEverywhere(page, "console-dispatch-comparison"), []);
  await page.unroute("**/admin/dispatch/what-if");
  await form.getByRole("button", { name: "Simular com estes valores" }).click();
  await shown.getByText(/^Atribuídos agora: \d+ de \d+ pedidos ao alcance/).waitFor();
  await form.getByRole("button", { name: "Desfazer" }).click();
  assert.equal(await radius.inputValue(), "10");
  await person.stop();
});

test("a pass is run once, and a lost network is explained", async () => {
  const [sent] = await Promise.all([
    page.waitForRequest((one) => one.url().endsWith("/admin/dispatch")),
    page.getByRole("button", { name: "Executar uma passada agora" }).click(),
  ]);
  assert.equal(sent.postData(), null);
  assert.ok(sent.headers()["idempotency-key"]);
  await page
    .getByTestId("pass")
    .getByText(/^A passada das \d\d:\d\d:\d\d terminou\.$/)
    .waitFor();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Executar uma passada agora" }).click();
  await page.getByText("Não foi possível conectar ao servidor.").waitFor();
  await context.setOffline(false);
});

test("pages have no errors", () => {
  assert.deepEqual(pageErrors, []);
});
