// The operator's console: sign-in, map, orders, couriers, stores.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BASE,
  VERGUEIRO,
  api,
  courier,
  fillAddress,
  goTo,
  launch,
  open,
  openLoggedIn,
  request,
  uniqueCnpj,
  uniqueCode,
  until,
} from "./browser.mjs";
import { sendAfterLostNetwork } from "./form-checks.mjs";
import { TOKEN, openConsole, signIn } from "./operator.mjs";

let browser;
/** A merchant, whose orders the operator sees. */
let merchant;
before(async () => {
  browser = await launch();
  merchant = await openLoggedIn(browser);
});
after(() => browser.close());

const create = async (fields = {}) => {
  const body = {
    code: uniqueCode("OP"),
    preparationTime: 60,
    previewDeliveryTime: true,
    deliveries: [{ name: "Maria Silva", onlinePayment: true, address: VERGUEIRO }],
    ...fields,
  };
  const made = await api(merchant.page, "POST", "/delivery/orders", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
};

test("the token becomes a cookie that scripts cannot read", async () => {
  const { page, pageErrors, context } = await open(browser);
  await page.goto(`${BASE}/admin`);
  await page.fill("#f-token", "not the token");
  await page.click("button[type=submit]");
  await page.waitForSelector(".field.invalid #f-token");
  await signIn(page);
  const cookies = await context.cookies(`${BASE}/admin`);
  assert.deepEqual(
    cookies.map(({ name, httpOnly, sameSite, path }) => ({ name, httpOnly, sameSite, path })),
    [{ name: "despacho-operator", httpOnly: true, sameSite: "Strict", path: "/admin" }],
  );
  const stored = await page.evaluate(
    () =>
      document.cookie +
      JSON.stringify({ ...localStorage }) +
      JSON.stringify({ ...sessionStorage }) +
      document.documentElement.outerHTML,
  );
  assert.ok(!stored.includes(TOKEN), "the page does not contain the token");

  await page.reload();
  await page.waitForSelector(".side");
  await page.getByRole("button", { name: "Sair" }).click();
  await page.waitForSelector("#f-token");
  assert.deepEqual(await context.cookies(`${BASE}/admin`), []);
  await page.reload();
  await page.waitForSelector("#f-token");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("an ended session leads to the form and back to the same page", async () => {
  const { page, pageErrors, context } = await openConsole(browser);
  await goTo(page, "/orders");
  await page.fill("input[type=search]", "Maria");
  await context.clearCookies();
  await page.waitForSelector("#f-token");
  await page.getByText("Sua sessão terminou.").waitFor();
  await signIn(page);
  await page.waitForSelector("input[type=search]");
  assert.equal(await page.inputValue("input[type=search]"), "Maria", "nothing typed is lost");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the merchant's session of the same tab is not used by the console", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  await page.goto(`${BASE}/admin`);
  await page.waitForSelector("#f-token");
  await signIn(page);
  await page.goto(BASE);
  await page.waitForSelector(".side a[href='#/keys']");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

/** An available courier at the pickup. The server simulates no couriers near it. */
const available = async (name, { latitude, longitude } = VERGUEIRO) => {
  const one = await courier(name);
  await one.send("position", { latitude, longitude });
  return one;
};

test("the operator reassigns and cancels an order and sees the reasons of dispatch", async () => {
  const name = uniqueCode("Rita");
  const order = await create({ preparationTime: 0, pickupAddress: VERGUEIRO });
  const one = await available(name);
  const found = await until(
    () => api(merchant.page, "GET", `/delivery/orders/${order.id}`),
    ({ body }) => body.situation === 210,
  );
  const { page, pageErrors, context } = await openConsole(browser);
  await goTo(page, `/orders/${order.id}`);
  await page.getByTestId("dispatch").getByText("Atribuído a um entregador").waitFor();
  assert.match(await page.textContent("[data-testid=dispatch]"), /custo \d/);

  // The reason is required, and the draft survives a reload.
  const dialog = page.locator("dialog");
  await page.getByRole("button", { name: "Reatribuir" }).click();
  await dialog.getByRole("button", { name: "Reatribuir" }).click();
  await dialog.locator(".field.invalid #f-reason").waitFor();
  await page.fill("dialog #f-reason", "Pneu furado");
  await page.reload();
  await page.getByRole("button", { name: "Reatribuir" }).click();
  assert.equal(await page.inputValue("dialog #f-reason"), "Pneu furado");
  // The current courier is not offered.
  const options = await page.locator("dialog option").allTextContents();
  assert.ok(
    options.length > 0 && !options.some((text) => text.includes(`#${found.body.deliveryMan.id}`)),
    `${options}`,
  );
  await page.selectOption("dialog #f-courierId", "");
  await dialog.getByRole("button", { name: "Reatribuir" }).click();
  await page.waitForSelector("dialog", { state: "detached" });
  await page.locator(".timeline", { hasText: "Pneu furado" }).waitFor();

  await page.getByRole("button", { name: "Cancelar pedido" }).click();
  await dialog.getByRole("button", { name: "Cancelar pedido" }).click();
  await dialog.locator(".field.invalid #f-reason").waitFor();
  await page.fill("dialog #f-reason", "Loja fechada");
  await sendAfterLostNetwork(page, dialog.locator("form"));
  await page.waitForSelector("dialog", { state: "detached" });
  await page.locator(".heading .badge.bad").waitFor();
  assert.equal(await page.getByRole("button", { name: "Reatribuir" }).count(), 0);
  await one.stop();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a searching order can only be assigned", async () => {
  // No courier carries orders of this store, which is not a sandbox.
  const made = await request(TOKEN, "POST", "/admin/matrices", {
    name: uniqueCode("Loja"),
    cnpj: uniqueCnpj(),
    email: `${uniqueCode("loja")}@exemplo.com.br`.toLowerCase(),
    password: "senha-de-teste",
    responsible: { name: "Lia Reis", phone: "+551130000000" },
    address: VERGUEIRO,
    marketplaceBranchId: 1,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const order = await request(made.body.value, "POST", "/delivery/orders", {
    code: uniqueCode("S"),
    preparationTime: 0,
    deliveries: [{ name: "Maria Silva", onlinePayment: true, address: VERGUEIRO }],
  });
  const { page, pageErrors, context } = await openConsole(browser);
  await goTo(page, `/orders/${order.body.id}`);
  await page.getByRole("button", { name: "Atribuir" }).click();
  await page.fill("dialog #f-reason", "Entregador próprio");
  await page.locator("dialog").getByRole("button", { name: "Atribuir" }).click();
  await page.waitForSelector("dialog .field.invalid #f-courierId");
  assert.equal(await page.inputValue("dialog #f-reason"), "Entregador próprio");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("an unavailable courier is an error of the field", async () => {
  // The couriers come before the order, and no simulated courier has been near: else one could take the order.
  const corner = { ...VERGUEIRO, latitude: VERGUEIRO.latitude - 0.003 };
  const [first, second] = [
    await available(uniqueCode("Ana"), corner),
    await available(uniqueCode("Bruno"), corner),
  ];
  const order = await create({ preparationTime: 0, pickupAddress: corner });
  await until(
    () => api(merchant.page, "GET", `/delivery/orders/${order.id}`),
    ({ body }) => body.situation === 210,
  );
  const { page, pageErrors, context } = await openConsole(browser);
  await goTo(page, `/orders/${order.id}`);
  const taken = await api(merchant.page, "GET", `/delivery/orders/${order.id}`);
  const other = [first, second].find((one) => one.id !== taken.body.deliveryMan.id);
  await page.getByRole("button", { name: "Reatribuir" }).click();
  await page.selectOption("dialog #f-courierId", String(other.id));
  await page.fill("dialog #f-reason", "Mais perto");
  await other.stop();
  await page.locator("dialog").getByRole("button", { name: "Reatribuir" }).click();
  await page.waitForSelector("dialog .field.invalid #f-courierId");
  assert.equal(await page.inputValue("dialog #f-reason"), "Mais perto");
  await other.alter({ available: true });
  await other.send("position", { latitude: corner.latitude, longitude: corner.longitude });
  await page.locator("dialog").getByRole("button", { name: "Reatribuir" }).click();
  await page.waitForSelector("dialog", { state: "detached" });
  const moved = await api(merchant.page, "GET", `/delivery/orders/${order.id}`);
  assert.equal(moved.body.deliveryMan.id, other.id);

  // The courier loses the delivery after the pickup.
  await other.send(`orders/${order.id}/arrive`);
  await other.send(`orders/${order.id}/pickup`, { code: moved.body.pickupCode });
  await page.getByRole("button", { name: /Dar como perdida/ }).click();
  await page.fill("dialog #f-reason", "Roubo");
  await page.locator("dialog").getByRole("button", { name: "Dar como perdida" }).click();
  await page.waitForSelector("dialog", { state: "detached" });
  await page.locator(".stops .badge.bad").waitFor();
  for (const one of [first, second]) await one.stop();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the operator finds an order of any store", async () => {
  const order = await create();
  const { page, pageErrors, context } = await openConsole(browser);
  await goTo(page, "/orders");
  const row = page.locator("tbody tr", { hasText: order.code });
  await row.waitFor();
  await page.fill("input[type=search]", order.code);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  await page.selectOption("select", "500");
  await page.getByText("Nenhum pedido corresponde aos filtros.").waitFor();
  await page.selectOption("select", String(order.situation));
  await row.waitFor();
  await page.getByLabel("Só atrasados").check();
  await page.getByText("Nenhum pedido corresponde aos filtros.").waitFor();
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await page.fill("input[type=search]", "...");
  await page.waitForSelector("#search-error");
  await page.fill("input[type=search]", "");
  await page.getByLabel("De", { exact: true }).fill("2026-11-20");
  await page.getByLabel("Até").fill("2026-11-10");
  await page.waitForSelector("#to-error");
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await page.getByLabel("Loja").fill("#999999999");
  await page.waitForSelector("#store-error");
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await row.waitFor();

  // The suggestion of the store's name contains its ID.
  const store = page.getByLabel("Loja");
  await store.fill("Cantina Demo");
  await page.waitForFunction(() => document.querySelectorAll("#stores option").length > 1);
  await page.waitForSelector("#store-error");
  const other = await page.evaluate(() =>
    [...document.querySelectorAll("#stores option")]
      .map((one) => one.value)
      .find((text) => /Manaus/.test(text)),
  );
  await store.fill(other);
  await row.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await row.waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the map shows couriers and open orders, and leads to them", async () => {
  const order = await create();
  // The courier of the demo's order there may have delivered it.
  const manaus = {
    street: "Avenida Eduardo Ribeiro",
    number: "500",
    city: "Manaus",
    state: "AM",
    latitude: -3.1316,
    longitude: -60.0234,
  };
  await create({
    pickupAddress: manaus,
    deliveries: [
      {
        name: "Lia Reis",
        onlinePayment: true,
        address: { ...manaus, number: "600", latitude: -3.1266 },
      },
    ],
  });
  const name = uniqueCode("Carla");
  const one = await available(name);
  const { page, pageErrors, context } = await openConsole(browser);
  await goTo(page, "/");
  const row = page.locator(".fleet-list a", { hasText: name });
  await row.waitFor();
  assert.match(await row.textContent(), /Disponível/);
  await page.waitForSelector(".map .mark.courier.available");

  // Another city has neither the order nor the courier.
  const city = page.getByRole("combobox", { name: "Cidade da coleta" });
  const own = page.locator(".fleet-list a", { hasText: order.code });
  await city.selectOption("Manaus – AM");
  await own.waitFor({ state: "detached" });
  assert.equal(await row.count(), 0);
  await city.selectOption("São Paulo – SP");
  await own.waitFor();
  await row.waitFor();
  await city.selectOption("");

  // A mark opens its order or courier.
  await page.locator(".map .mark.small").first().dispatchEvent("click");
  await page.waitForFunction(() => /^#\/orders\/\d+$/.test(location.hash));
  await page.goBack();
  await page.waitForSelector(".fleet-list");
  // The list is the same for the keyboard.
  await page.locator(".fleet-list a", { hasText: order.code }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction((id) => location.hash === `#/orders/${id}`, order.id);
  await page.getByRole("heading", { level: 1, name: `Pedido ${order.code}` }).waitFor();

  // Couriers who are not available are not on the map.
  await one.stop();
  await goTo(page, "/map");
  await page.locator(".fleet-list a", { hasText: order.code }).waitFor();
  assert.equal(await row.count(), 0);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the map requests all open orders, and states if there are too many", async () => {
  const order = await create();
  const { page, pageErrors, context } = await openConsole(browser);
  const { body } = await request(TOKEN, "GET", `/admin/orders?q=${order.id}`);
  const queries = [];
  // Each page has one order of its own and is followed by another one.
  await page.route("**/admin/orders?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    queries.push(query);
    const row = {
      ...body.orders[0],
      id: 900_000 + queries.length,
      code: `ABERTO-${query.get("late") ?? query.get("cursor") ?? "0"}`,
    };
    return route.fulfill({
      json: {
        orders: [row],
        nextCursor: query.has("late") ? null : String(Number(query.get("cursor") ?? 0) + 1),
      },
    });
  });
  await goTo(page, "/map");
  await page.locator(".fleet-list a", { hasText: "ABERTO-9" }).waitFor();
  await page.locator(".fleet-list a", { hasText: "ABERTO-true" }).waitFor();
  await page
    .getByText("Só aparecem os 1000 pedidos em aberto mais novos e os atrasados.")
    .waitFor();
  assert.ok(
    queries.every((query) => query.get("open") === "true"),
    `${queries}`,
  );
  await page.unroute("**/admin/orders?*");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the log shows all changes in pages", async () => {
  const name = uniqueCode("Rui");
  const one = await courier(name);
  const { page, pageErrors, context } = await openConsole(browser);
  await page.getByRole("link", { name: "Alterações" }).click();
  const log = page.getByRole("table", { name: "Alterações" });
  const entry = log
    .locator("tr", { hasText: "Cadastrou um entregador" })
    .filter({ hasText: `#${one.id}` });
  await entry.waitFor();
  assert.match(await entry.innerText(), /Operador\s+—/);
  // The log of a test has few entries, so that the pages are small here.
  await page.route("**/admin/audit?*", (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "2");
    return route.continue({ url: String(url) });
  });
  await goTo(page, "/health");
  await goTo(page, "/changes");
  await log.locator("tbody tr").nth(1).waitFor();
  await page.getByRole("button", { name: "Mostrar mais" }).click();
  await log.locator("tbody tr").nth(3).waitFor();
  const { body } = await request(TOKEN, "GET", "/admin/audit?limit=4");
  const ids = (await log.locator("tbody td:first-child .number").allInnerTexts()).map((text) =>
    Number(text.trim().slice(1)),
  );
  assert.deepEqual(
    ids,
    body.entries.map((found) => found.subjectId),
  );
  await page.unroute("**/admin/audit?*");
  await goTo(page, "/health");
  await goTo(page, "/changes");
  await entry.getByRole("link", { name: `#${one.id}` }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await one.stop();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the operator registers a courier, who signs in with the code", async () => {
  const { page, pageErrors, context } = await openConsole(browser);
  const name = uniqueCode("Davi");
  await goTo(page, "/couriers/new");
  await page.fill("#f-phone", "1");
  await page.click("form button[type=submit]");
  await page.waitForSelector(".field.invalid #f-name");
  await page.waitForSelector(".field.invalid #f-phone");
  await page.fill("#f-name", name);
  await page.reload();
  await page.waitForSelector("#f-name");
  assert.equal(await page.inputValue("#f-name"), name, "the draft survives a reload");
  await page.fill("#f-phone", "51999990001");
  await page.selectOption("#f-vehicle", "CAR");
  await page.fill("#f-maxWeightGrams", "87,5");
  await sendAfterLostNetwork(page, page.locator("form"));
  await page.waitForSelector(".secret code");
  await page.getByRole("heading", { level: 1, name }).waitFor();
  const id = Number(/\d+$/.exec(page.url())[0]);
  await page.locator(".facts").getByText("87,5").waitFor();

  await page.getByRole("button", { name: "Novo código de acesso" }).click();
  await page.waitForSelector("svg.qr path");
  const link = await page.textContent("[data-testid=sign-in] .secret code");
  const app = await open(browser, { viewport: { width: 390, height: 844 } });
  await app.page.goto(`${BASE}/courier${new URL(link).hash}`);
  await app.page.waitForSelector("[data-testid=duty]");
  await app.context.close();

  await page.getByRole("button", { name: "Tornar disponível" }).click();
  await page.getByRole("button", { name: "Tornar indisponível" }).click();
  await page.getByRole("button", { name: "Tornar disponível" }).waitFor();
  await page.getByRole("button", { name: "Suspender" }).click();
  await page.locator(".heading .badge", { hasText: "Suspenso" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Tornar disponível" }).count(), 0);
  await page.getByRole("button", { name: "Encerrar suspensão" }).click();
  await page.getByRole("button", { name: "Tornar disponível" }).waitFor();
  await page.getByRole("button", { name: "Alterar dados" }).click();
  await page.getByLabel("Maquininha de cartão").uncheck();
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog", { state: "detached" });
  // The dialog closes before the page has read the courier again.
  await page.locator(".facts", { hasText: "Maquininha" }).waitFor({ state: "detached" });
  assert.ok((await page.locator(".facts").innerText()).includes("Bag ou baú térmico"));
  await page.getByRole("button", { name: "Alterar dados" }).click();
  await page.fill("dialog #f-email", "sem arroba");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog .field.invalid #f-email");
  await page.fill("dialog #f-email", "davi@exemplo.com.br");
  await sendAfterLostNetwork(page, page.locator("dialog form"));
  await page.getByText("davi@exemplo.com.br").waitFor();

  // Without a limit of the courier's own, that of a car applies again.
  await page.getByRole("button", { name: "Alterar dados" }).click();
  assert.equal(await page.inputValue("dialog #f-maxWeightGrams"), "87,5");
  await page.fill("dialog #f-maxWeightGrams", "");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.locator(".facts").getByText("87,5").waitFor({ state: "detached" });
  assert.match(
    await page.locator(".facts .fact", { hasText: "Peso máximo (kg)" }).innerText(),
    /300/,
  );

  // The list finds the courier without accents and case, until the courier is removed.
  await goTo(page, "/couriers");
  await page.fill("input[type=search]", name.toLowerCase());
  await page.locator("tbody tr", { hasText: name }).click();
  await page.getByRole("button", { name: "Remover entregador" }).click();
  await page.click("dialog button[type=submit]");
  await page.getByText("Removido", { exact: true }).waitFor();
  await goTo(page, "/couriers");
  await page.getByText("Nenhum entregador corresponde aos filtros.").waitFor();
  await page.selectOption("select", "removed");
  await page.locator(`a[href='#/couriers/${id}']`).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("the operator creates a prepaid store and manages its balance, terms and access", async () => {
  const { page, pageErrors, context } = await openConsole(browser);
  const name = `Padaria ${uniqueCode("P")}`;
  await goTo(page, "/stores/new");
  await page.fill("#f-name", name);
  await page.fill("#f-cnpj", "11");
  await page.getByLabel("Pré-paga").check();
  await page.click("form button[type=submit]");
  await page.waitForSelector(".field.invalid #f-cnpj");
  await page.waitForSelector(".field.invalid #f-email");
  await page.reload();
  await page.waitForSelector("#f-name");
  assert.equal(await page.inputValue("#f-name"), name, "the draft survives a reload");
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Lia Reis");
  await page.fill("#f-responsible-phone", "11987654321");
  await page.fill("#f-email", `${uniqueCode("loja")}@exemplo.com.br`.toLowerCase());
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.fill("#f-prepaidFloor", "-50,00");
  await sendAfterLostNetwork(page, page.locator("form"));
  await page.waitForSelector(".secret code");
  const key = await page.textContent(".secret code");
  assert.match(key, /^dsp_/);
  const id = Number(/\d+$/.exec(page.url())[0]);

  const balance = page.getByTestId("balance");
  await balance.locator("#f-amount").fill("0");
  await balance.locator("button[type=submit]").click();
  await balance.locator(".field.invalid #f-amount").waitFor();
  await balance.locator(".field.invalid #f-reference").waitFor();
  await balance.locator("#f-amount").fill("250,50");
  await balance.locator("#f-reference").fill("PIX-1");
  await sendAfterLostNetwork(page, balance);
  await page.locator("[aria-labelledby=statement] tr", { hasText: "PIX-1" }).waitFor();
  await page.waitForFunction(() => /250,50/.test(document.querySelector(".amount").textContent));

  const credit = page.getByTestId("credit");
  assert.equal(await credit.locator("#f-prepaidFloor").inputValue(), "-50");
  await credit.locator("#f-prepaidFloor").fill("-2000000");
  await credit.locator("button[type=submit]").click();
  await credit.locator(".field.invalid").waitFor();
  await credit.locator("#f-prepaidFloor").fill("-80,5");
  await credit.locator("button[type=submit]").click();
  await page.getByText("O saldo mínimo foi alterado.").waitFor();

  const terms = page.getByTestId("terms");
  await terms.locator("#f-leadMinutes").fill("61");
  await terms.locator("button[type=submit]").click();
  await terms.locator(".field.invalid #f-leadMinutes").waitFor();
  await terms.locator("#f-leadMinutes").fill("15");
  await terms.locator("button[type=submit]").click();
  await terms.getByText("Em vigor: 15").waitFor();

  const access = page.getByTestId("password-link");
  await access.getByRole("button").first().click();
  await access.locator(".secret").waitFor();
  assert.match(await access.locator(".secret code").textContent(), /#\/password\/pws_/);

  await page.getByRole("button", { name: "Desativar" }).click();
  await page.locator("dialog button[type=submit]").click();
  await page.getByRole("button", { name: "Reativar" }).waitFor();
  const rejected = await request(key, "GET", "/delivery/orders");
  assert.deepEqual([rejected.status, rejected.body.code], [403, "store_disabled"]);
  await page.getByRole("button", { name: "Reativar" }).click();
  await page.getByRole("button", { name: "Desativar" }).waitFor();
  assert.equal((await request(key, "GET", "/delivery/orders")).status, 200);
  await page.reload();
  const log = page.getByRole("table", { name: "Alterações" });
  for (const change of [
    "Creditou saldo",
    "Definiu as condições de despacho",
    "Criou um link de senha",
  ])
    await log.locator("tr", { hasText: change }).first().waitFor();

  // The list finds the store, and its orders are one step away.
  await goTo(page, "/stores");
  await page.fill("input[type=search]", name);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  await page.locator(`a[href='#/stores/${id}']`).click();
  await page.getByRole("link", { name: "Pedidos desta loja" }).click();
  await page.getByText("Nenhum pedido corresponde aos filtros.").waitFor();
  assert.match(await page.getByLabel("Loja").inputValue(), new RegExp(`#${id}$`));
  assert.deepEqual(pageErrors, []);
  await context.close();
});
