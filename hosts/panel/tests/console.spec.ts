// The operator's console: sign-in, map, orders, couriers, stores.
import {
  BASE,
  JOINVILLE,
  VERGUEIRO,
  createStore,
  operator,
  orderInJoinville,
  request,
  uniqueCnpj,
  uniqueCode,
  type Body,
} from "./support/api";
import { expect, test } from "./support/fixtures";
import { sendAfterLostNetwork } from "./support/forms";
import { fillAddress, goTo, isAt, signIn } from "./support/page";
import { OPERATOR } from "./support/server";
import type { Page } from "@playwright/test";

/** Returns the ID at the end of the address. */
const idIn = (page: Page) => Number(/\d+$/.exec(page.url())?.[0]);

test("the token becomes a cookie that scripts cannot read", async ({ page, context }) => {
  await page.goto(`${BASE}/admin`);
  await page.fill("#f-token", "not the token");
  await page.click("button[type=submit]");
  await expect(page.locator(".field.invalid #f-token").first()).toBeVisible();
  await signIn(page);
  const cookies = await context.cookies(`${BASE}/admin`);
  expect(
    cookies.map(({ name, httpOnly, sameSite, path }) => ({ name, httpOnly, sameSite, path })),
  ).toEqual([{ name: "despacho-operator", httpOnly: true, sameSite: "Strict", path: "/admin" }]);
  const stored = await page.evaluate(
    () =>
      document.cookie +
      JSON.stringify({ ...localStorage }) +
      JSON.stringify({ ...sessionStorage }) +
      document.documentElement.outerHTML,
  );
  expect(stored.includes(OPERATOR), "the page does not contain the token").toBeFalsy();

  await page.reload();
  await expect(page.locator(".side")).toBeVisible();
  await page.getByRole("button", { name: "Sair" }).click();
  await expect(page.locator("#f-token")).toBeVisible();
  expect(await context.cookies(`${BASE}/admin`)).toEqual([]);
  await page.reload();
  await expect(page.locator("#f-token")).toBeVisible();
});

test("an ended session leads to the form and back to the same page", async ({ console: page }) => {
  await goTo(page, "/orders");
  await page.fill("input[type=search]", "Maria");
  await page.context().clearCookies();
  await expect(page.locator("#f-token")).toBeVisible();
  await expect(page.getByText("Sua sessão terminou.")).toBeVisible();
  await signIn(page);
  await expect(page.locator("input[type=search]").first()).toBeVisible();
  await expect(page.locator("input[type=search]"), "nothing typed is lost").toHaveValue("Maria");
});

test("the merchant's session of the same tab is not used by the console", async ({
  panel: page,
}) => {
  await page.goto(`${BASE}/admin`);
  await expect(page.locator("#f-token")).toBeVisible();
  await signIn(page);
  await page.goto("/");
  await expect(page.locator(".side a[href='#/keys']").first()).toBeVisible();
});

test("the operator reassigns and cancels an order and sees the reasons of dispatch", async ({
  console: page,
  store,
  courier,
}) => {
  const name = uniqueCode("Rita");
  const order = await store.order(orderInJoinville());
  await courier(name, JOINVILLE);
  const found = await store.orderWith(order.id, 210);
  await goTo(page, `/orders/${order.id}`);
  const reasons = page.getByTestId("dispatch");
  await expect(reasons.getByText("Atribuído", { exact: true })).toBeVisible();
  await expect(reasons.getByRole("rowheader", { name: /escolhido/ })).toBeVisible();

  // The reason is required, and the draft survives a reload.
  const dialog = page.locator("dialog");
  await page.getByRole("button", { name: "Reatribuir" }).click();
  await dialog.getByRole("button", { name: "Reatribuir" }).click();
  await expect(dialog.locator(".field.invalid #f-reason")).toBeVisible();
  await page.fill("dialog #f-reason", "Pneu furado");
  await page.reload();
  await page.getByRole("button", { name: "Reatribuir" }).click();
  await expect(page.locator("dialog #f-reason")).toHaveValue("Pneu furado");
  // The current courier is not offered.
  const options = page.locator("dialog option");
  await expect(options).not.toHaveCount(0);
  await expect(options.filter({ hasText: `#${found.deliveryMan.id}` })).toHaveCount(0);
  await page.selectOption("dialog #f-courierId", "");
  await dialog.getByRole("button", { name: "Reatribuir" }).click();
  await expect(page.locator("dialog")).toHaveCount(0);
  await expect(page.locator(".timeline", { hasText: "Pneu furado" })).toBeVisible();

  await page.getByRole("button", { name: "Cancelar pedido" }).click();
  await dialog.getByRole("button", { name: "Cancelar pedido" }).click();
  await expect(dialog.locator(".field.invalid #f-reason")).toBeVisible();
  await page.fill("dialog #f-reason", "Loja fechada");
  await sendAfterLostNetwork(page, dialog.locator("form"));
  await expect(page.locator("dialog")).toHaveCount(0);
  await expect(page.locator(".heading .badge.bad")).toBeVisible();
  await expect(page.getByRole("button", { name: "Reatribuir" })).toHaveCount(0);
});

test("a searching order can only be assigned", async ({ console: page }) => {
  // No courier carries orders of this store, which is not a sandbox.
  const own = await createStore({ sandbox: false });
  const { id } = await own.order({ preparationTime: 0 });
  await goTo(page, `/orders/${id}`);
  await page.getByRole("button", { name: "Atribuir" }).click();
  await page.fill("dialog #f-reason", "Entregador próprio");
  await page.locator("dialog").getByRole("button", { name: "Atribuir" }).click();
  await expect(page.locator("dialog .field.invalid #f-courierId")).toBeVisible();
  await expect(page.locator("dialog #f-reason")).toHaveValue("Entregador próprio");
  await own.retire();
});

test("an unavailable courier is an error of the field", async ({
  console: page,
  store,
  courier,
}) => {
  // The couriers come before the order, and no simulated courier has been near: else one could take the order.
  const corner = { ...JOINVILLE, latitude: JOINVILLE.latitude - 0.003 };
  const [first, second] = [
    await courier(uniqueCode("Ana"), corner),
    await courier(uniqueCode("Bruno"), corner),
  ];
  const load = { requirements: { weightGrams: 2_000 } };
  const order = await store.order({ ...orderInJoinville(corner), ...load });
  const taken = await store.orderWith(order.id, 210);
  await goTo(page, `/orders/${order.id}`);
  const other = taken.deliveryMan.id === first.id ? second : first;
  // Couriers who fit come first, and the others have the reason.
  const distant = { ...corner, latitude: corner.latitude - 0.05 };
  const bicycle = await courier(uniqueCode("Zeca"), distant);
  await bicycle.alter({ maxWeightGrams: 1_000 });
  await page.getByRole("button", { name: "Reatribuir" }).click();
  const offered = page.locator("dialog option");
  await expect(offered.filter({ hasText: `#${bicycle.id}` })).toHaveText(/peso acima do limite\)$/);
  const labels = await offered.allTextContents();
  const at = (id: number) => labels.findIndex((label) => label.includes(`#${id}`));
  expect(at(other.id)).toBeLessThan(at(bicycle.id));
  await page.selectOption("dialog #f-courierId", String(other.id));
  await page.fill("dialog #f-reason", "Mais perto");
  await other.stop();
  await page.locator("dialog").getByRole("button", { name: "Reatribuir" }).click();
  await expect(page.locator("dialog .field.invalid #f-courierId")).toBeVisible();
  await expect(page.locator("dialog #f-reason")).toHaveValue("Mais perto");
  await other.alter({ available: true });
  await other.send("position", { latitude: corner.latitude, longitude: corner.longitude });
  await page.locator("dialog").getByRole("button", { name: "Reatribuir" }).click();
  await expect(page.locator("dialog")).toHaveCount(0);
  const moved = await store.api("GET", `/delivery/orders/${order.id}`);
  expect(moved.body.deliveryMan.id).toBe(other.id);

  // The courier loses the delivery after the pickup.
  await other.send(`orders/${order.id}/arrive`);
  await other.send(`orders/${order.id}/pickup`, { code: moved.body.pickupCode });
  await page.getByRole("button", { name: /Dar como perdida/ }).click();
  await page.fill("dialog #f-reason", "Roubo");
  await page.locator("dialog").getByRole("button", { name: "Dar como perdida" }).click();
  await expect(page.locator("dialog")).toHaveCount(0);
  await expect(page.locator(".stops .badge.bad")).toBeVisible();
});

test("the operator finds an order of any store", async ({ console: page, store }) => {
  const order = await store.order({ preparationTime: 60 });
  await goTo(page, "/orders");
  const row = page.locator("tbody tr", { hasText: order.code });
  await expect(row).toBeVisible();
  await page.fill("input[type=search]", order.code);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await page.selectOption("select", "500");
  await expect(page.getByText("Nenhum pedido corresponde aos filtros.")).toBeVisible();
  await page.selectOption("select", String(order.situation));
  await expect(row).toBeVisible();
  await page.getByLabel("Só atrasados").check();
  await expect(page.getByText("Nenhum pedido corresponde aos filtros.")).toBeVisible();
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await page.fill("input[type=search]", "...");
  await expect(page.locator("#search-error")).toBeVisible();
  await page.fill("input[type=search]", "");
  await page.getByLabel("De", { exact: true }).fill("2026-11-20");
  await page.getByLabel("Até").fill("2026-11-10");
  await expect(page.locator("#to-error")).toBeVisible();
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await page.getByLabel("Loja").fill("#999999999");
  await expect(page.locator("#store-error")).toBeVisible();
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await expect(row).toBeVisible();

  // The suggestion of the store's name contains its ID.
  const picker = page.getByLabel("Loja");
  await picker.fill("Cantina Demo");
  const suggested = page.locator("#stores option");
  await expect(suggested.nth(1)).toBeAttached();
  await expect(page.locator("#store-error")).toBeVisible();
  const values = await suggested.evaluateAll((all) =>
    (all as HTMLOptionElement[]).map((one) => one.value),
  );
  await picker.fill(values.find((text) => /Manaus/.test(text)) ?? "");
  await expect(row).toHaveCount(0);
  await page.getByRole("button", { name: "Limpar filtros" }).click();
  await expect(row).toBeVisible();
});

test("the map shows couriers and open orders, and leads to them", async ({
  console: page,
  store,
  courier,
}) => {
  const order = await store.order({ ...orderInJoinville(), preparationTime: 60 });
  // The courier of the demo's order there may have delivered it.
  const manaus = {
    street: "Avenida Eduardo Ribeiro",
    number: "500",
    city: "Manaus",
    state: "AM",
    latitude: -3.1316,
    longitude: -60.0234,
  };
  await store.order({
    preparationTime: 60,
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
  const one = await courier(name, JOINVILLE);
  await goTo(page, "/");
  const row = page.locator(".fleet-list a", { hasText: name });
  await expect(row).toBeVisible();
  await expect(row).toHaveText(/Disponível/, { useInnerText: true });
  await expect(page.locator(".map .mark.courier.available").first()).toBeVisible();

  // Another city has neither the order nor the courier.
  const city = page.getByRole("combobox", { name: "Cidade da coleta" });
  const own = page.locator(".fleet-list a", { hasText: order.code });
  await city.selectOption("Manaus – AM");
  await expect(own).toHaveCount(0);
  await expect(row).toHaveCount(0);
  await city.selectOption("Joinville – SC");
  await expect(own).toBeVisible();
  await expect(row).toBeVisible();
  await city.selectOption("");

  // A mark opens its order beside the map, or its courier.
  await page.locator(".map .mark.small").first().dispatchEvent("click");
  await isAt(page, /^#\/map\?order=\d+$/);
  await expect(page.locator(".order-sheet")).toBeVisible();
  await page.goBack();
  await expect(page.locator(".order-sheet")).toHaveCount(0);
  // The list is the same for the keyboard.
  await page.locator(".fleet-list a", { hasText: order.code }).focus();
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("region", { name: order.code });
  await expect(sheet.getByRole("heading", { name: order.code })).toBeFocused();
  await sheet.getByRole("link", { name: "Tudo sobre este pedido" }).click();
  await isAt(page, `#/orders/${order.id}`);
  await expect(page.getByRole("heading", { level: 1, name: `Pedido ${order.code}` })).toBeVisible();

  // Couriers who are not available are not on the map.
  await one.stop();
  await goTo(page, "/map");
  await expect(page.locator(".fleet-list a", { hasText: order.code })).toBeVisible();
  await expect(row).toHaveCount(0);
});

test("the map requests all open orders, and states if there are too many", async ({
  console: page,
  store,
}) => {
  const order = await store.order({ preparationTime: 60 });
  const { body } = await operator("GET", `/admin/orders?q=${order.id}`);
  const queries: URLSearchParams[] = [];
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
  await expect(page.locator(".fleet-list a", { hasText: "ABERTO-9" })).toBeVisible();
  await expect(page.locator(".fleet-list a", { hasText: "ABERTO-true" })).toBeVisible();
  await expect(
    page.getByText("Só aparecem os 1000 pedidos em aberto mais novos e os atrasados."),
  ).toBeVisible();
  expect(
    queries.every((query) => query.get("open") === "true"),
    `${queries}`,
  ).toBeTruthy();
  await page.unroute("**/admin/orders?*");
});

test("the log shows all changes in pages", async ({ console: page, courier }) => {
  const name = uniqueCode("Rui");
  const one = await courier(name);
  await page.getByRole("link", { name: "Alterações" }).click();
  const log = page.getByRole("table", { name: "Alterações" });
  const entry = log
    .locator("tr", { hasText: "Cadastrou um entregador" })
    .filter({ hasText: `#${one.id}` });
  await expect(entry).toBeVisible();
  await expect(entry).toHaveText(/Operador\s+—/, { useInnerText: true });
  // The log of a test has few entries, so that the pages are small here.
  await page.route("**/admin/audit?*", (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "2");
    return route.continue({ url: String(url) });
  });
  await goTo(page, "/health");
  await goTo(page, "/changes");
  await expect(log.locator("tbody tr").nth(1)).toBeVisible();
  await page.getByRole("button", { name: "Mostrar mais" }).click();
  await expect(log.locator("tbody tr").nth(3)).toBeVisible();
  const { body } = await operator("GET", "/admin/audit?limit=4");
  const subjects = body.entries.map((found: Body) => `#${found.subjectId}`);
  await expect(log.locator("tbody td:first-child .number")).toHaveText(subjects);
  await page.unroute("**/admin/audit?*");
  await goTo(page, "/health");
  await goTo(page, "/changes");
  await entry.getByRole("link", { name: `#${one.id}` }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
});

test("the operator registers a courier, who signs in with the code", async ({
  console: page,
  open,
}) => {
  const name = uniqueCode("Davi");
  await goTo(page, "/couriers/new");
  await page.fill("#f-phone", "1");
  await page.click("form button[type=submit]");
  await expect(page.locator(".field.invalid #f-name").first()).toBeVisible();
  await expect(page.locator(".field.invalid #f-phone").first()).toBeVisible();
  await page.fill("#f-name", name);
  await page.reload();
  await expect(page.locator("#f-name")).toBeVisible();
  await expect(page.locator("#f-name"), "the draft survives a reload").toHaveValue(name);
  await page.fill("#f-phone", "51999990001");
  await page.selectOption("#f-vehicle", "CAR");
  await page.fill("#f-maxWeightGrams", "87,5");
  await sendAfterLostNetwork(page, page.locator("form"));
  await expect(page.locator(".secret code").first()).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  const id = idIn(page);
  await expect(page.locator(".facts").getByText("87,5")).toBeVisible();

  await page.getByRole("button", { name: "Novo código de acesso" }).click();
  await expect(page.locator("svg.qr path").first()).toBeVisible();
  const link = await page.getByTestId("sign-in").locator(".secret code").innerText();
  const app = await open({ viewport: { width: 390, height: 844 } });
  await app.goto(`${BASE}/courier${new URL(link).hash}`);
  await expect(app.locator("[data-testid=duty]")).toBeVisible();

  await page.getByRole("button", { name: "Tornar disponível" }).click();
  await page.getByRole("button", { name: "Tornar indisponível" }).click();
  await expect(page.getByRole("button", { name: "Tornar disponível" })).toBeVisible();
  await page.getByRole("button", { name: "Suspender" }).click();
  await expect(page.locator(".heading .badge", { hasText: "Suspenso" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Tornar disponível" })).toHaveCount(0);
  await page.getByRole("button", { name: "Encerrar suspensão" }).click();
  await expect(page.getByRole("button", { name: "Tornar disponível" })).toBeVisible();
  await page.getByRole("button", { name: "Alterar dados" }).click();
  await page.getByLabel("Maquininha de cartão").uncheck();
  await page.click("dialog button[type=submit]");
  await expect(page.locator("dialog")).toHaveCount(0);
  // The dialog closes before the page has read the courier again.
  await expect(page.locator(".facts", { hasText: "Maquininha" })).toHaveCount(0);
  await expect(page.locator(".facts")).toContainText("Bag ou baú térmico");
  await page.getByRole("button", { name: "Alterar dados" }).click();
  await page.fill("dialog #f-email", "sem arroba");
  await page.click("dialog button[type=submit]");
  await expect(page.locator("dialog .field.invalid #f-email")).toBeVisible();
  await page.fill("dialog #f-email", "davi@exemplo.com.br");
  await sendAfterLostNetwork(page, page.locator("dialog form"));
  await expect(page.getByText("davi@exemplo.com.br")).toBeVisible();

  // Without a limit of the courier's own, that of a car applies again.
  await page.getByRole("button", { name: "Alterar dados" }).click();
  await expect(page.locator("dialog #f-maxWeightGrams")).toHaveValue("87,5");
  await page.fill("dialog #f-maxWeightGrams", "");
  await page.click("dialog button[type=submit]");
  await expect(page.locator("dialog")).toHaveCount(0);
  await expect(page.locator(".facts").getByText("87,5")).toHaveCount(0);
  await expect(page.locator(".facts .fact", { hasText: "Peso máximo (kg)" })).toHaveText(/300/, {
    useInnerText: true,
  });

  // The list finds the courier without accents and case, until the courier is removed.
  await goTo(page, "/couriers");
  await page.fill("input[type=search]", name.toLowerCase());
  await page.locator("tbody tr", { hasText: name }).click();
  await page.getByRole("button", { name: "Remover entregador" }).click();
  await page.click("dialog button[type=submit]");
  await expect(page.getByText("Removido", { exact: true })).toBeVisible();
  await goTo(page, "/couriers");
  await expect(page.getByText("Nenhum entregador corresponde aos filtros.")).toBeVisible();
  await page.selectOption("select", "removed");
  await expect(page.locator(`a[href='#/couriers/${id}']`)).toBeVisible();
});

test("the operator creates a prepaid store and manages its balance, terms and access", async ({
  console: page,
}) => {
  const name = `Padaria ${uniqueCode("P")}`;
  await goTo(page, "/stores/new");
  await page.fill("#f-name", name);
  await page.fill("#f-cnpj", "11");
  await page.getByLabel("Pré-paga").check();
  await page.click("form button[type=submit]");
  await expect(page.locator(".field.invalid #f-cnpj").first()).toBeVisible();
  await expect(page.locator(".field.invalid #f-email").first()).toBeVisible();
  await page.reload();
  await expect(page.locator("#f-name")).toBeVisible();
  await expect(page.locator("#f-name"), "the draft survives a reload").toHaveValue(name);
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Lia Reis");
  await page.fill("#f-responsible-phone", "11987654321");
  await page.fill("#f-email", `${uniqueCode("loja")}@exemplo.com.br`.toLowerCase());
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.fill("#f-prepaidFloor", "-50,00");
  await sendAfterLostNetwork(page, page.locator("form"));
  await expect(page.locator(".secret code").first()).toBeVisible();
  const key = await page.locator(".secret code").innerText();
  expect(key).toMatch(/^dsp_/);
  const id = idIn(page);

  const balance = page.getByTestId("balance");
  await balance.locator("#f-amount").fill("0");
  await balance.locator("button[type=submit]").click();
  await expect(balance.locator(".field.invalid #f-amount")).toBeVisible();
  await expect(balance.locator(".field.invalid #f-reference")).toBeVisible();
  await balance.locator("#f-amount").fill("250,50");
  await balance.locator("#f-reference").fill("PIX-1");
  await sendAfterLostNetwork(page, balance);
  await expect(page.locator("[aria-labelledby=statement] tr", { hasText: "PIX-1" })).toBeVisible();
  await expect(page.locator(".amount").first()).toHaveText(/250,50/);

  const credit = page.getByTestId("credit");
  await expect(credit.locator("#f-prepaidFloor")).toHaveValue("-50");
  await credit.locator("#f-prepaidFloor").fill("-2000000");
  await credit.locator("button[type=submit]").click();
  await expect(credit.locator(".field.invalid")).toBeVisible();
  await credit.locator("#f-prepaidFloor").fill("-80,5");
  await credit.locator("button[type=submit]").click();
  await expect(page.getByText("O saldo mínimo foi alterado.")).toBeVisible();

  const terms = page.getByTestId("terms");
  await terms.locator("#f-leadMinutes").fill("61");
  await terms.locator("button[type=submit]").click();
  await expect(terms.locator(".field.invalid #f-leadMinutes")).toBeVisible();
  await terms.locator("#f-leadMinutes").fill("15");
  await terms.locator("button[type=submit]").click();
  await expect(terms.getByText("Em vigor: 15")).toBeVisible();

  const access = page.getByTestId("password-link");
  await access.getByRole("button").first().click();
  await expect(access.locator(".secret")).toBeVisible();
  await expect(access.locator(".secret code")).toHaveText(/#\/password\/pws_/, {
    useInnerText: true,
  });

  await page.getByRole("button", { name: "Desativar" }).click();
  await page.locator("dialog button[type=submit]").click();
  await expect(page.getByRole("button", { name: "Reativar" })).toBeVisible();
  const rejected = await request(key, "GET", "/delivery/orders");
  expect([rejected.status, rejected.body.code]).toEqual([403, "store_disabled"]);
  await page.getByRole("button", { name: "Reativar" }).click();
  await expect(page.getByRole("button", { name: "Desativar" })).toBeVisible();
  await expect.poll(async () => (await request(key, "GET", "/delivery/orders")).status).toBe(200);
  await page.reload();
  const log = page.getByRole("table", { name: "Alterações" });
  for (const change of [
    "Creditou saldo",
    "Definiu as condições de despacho",
    "Criou um link de senha",
  ])
    await expect(log.locator("tr", { hasText: change }).first()).toBeVisible();

  // The list finds the store, and its orders are one step away.
  await goTo(page, "/stores");
  await page.fill("input[type=search]", name);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await page.locator(`a[href='#/stores/${id}']`).click();
  await page.getByRole("link", { name: "Pedidos desta loja" }).click();
  await expect(page.getByText("Nenhum pedido corresponde aos filtros.")).toBeVisible();
  await expect(page.getByLabel("Loja")).toHaveValue(new RegExp(`#${id}$`));
});
