// The main tasks of a merchant, from logging in to a delivered order, in a browser with a real server.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import {
  BASE,
  PASSWORD,
  VERGUEIRO,
  api,
  fillAddress,
  goTo,
  hold,
  launch,
  loginFilledIn,
  open,
  openLoggedIn,
  request,
  screenshot,
  sendOrder,
  uniqueCnpj,
  uniqueCode,
} from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const DELIVERY = "#f-deliveries-0";

async function fillOrder(page, code) {
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await fillAddress(page, `${DELIVERY}-address`, VERGUEIRO);
  await page.fill(`${DELIVERY}-name`, "Maria Silva");
  await page.fill(`${DELIVERY}-phone`, "+5511990000201");
}

test("wrong password shows an error in the user's language", async () => {
  const { page, pageErrors, context } = await open(browser);
  await page.goto(BASE);
  await loginFilledIn(page);
  await page.fill("#f-email", "matriz@demo.despacho.example");
  await page.fill("#f-password", "not-the-password");
  await page.click("button[type=submit]");
  const box = page.locator(".error-box");
  await box.waitFor();
  const portuguese = await box.innerText();
  await page.click("button[lang=en]");
  await page.click("button[type=submit]");
  await page.waitForFunction(
    (before) => document.querySelector(".error-box")?.textContent?.trim() !== before,
    portuguese,
  );
  await page.fill("#f-password", "despacho-demo");
  await page.click("button[type=submit]");
  await page.waitForSelector(".orders tbody tr, .state");
  assert.equal(await page.locator("#title").innerText(), "Orders");
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  assert.doesNotMatch(stored, /dsp_/, "API key in localStorage");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

/** Opens the panel, and returns the page and a function that lets the demo's login arrive. */
async function openBeforeDemo() {
  const opened = await open(browser);
  const release = await hold(opened.page, "**/panel.json");
  await opened.page.goto(BASE);
  return { ...opened, release };
}

test("demo does not replace what a user has typed", async () => {
  const { page, pageErrors, context, release } = await openBeforeDemo();
  await page.fill("#f-email", "bia@demo.despacho.example");
  const response = page.waitForResponse("**/panel.json");
  release();
  await (await response).finished();
  await page.waitForTimeout(100);
  assert.deepEqual(
    [await page.inputValue("#f-email"), await page.inputValue("#f-password")],
    ["bia@demo.despacho.example", ""],
  );
  assert.equal(await page.getByText("Esta é uma demonstração").count(), 0);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("typing replaces the demo's login", async () => {
  const { page, pageErrors, context, release } = await openBeforeDemo();
  await page.waitForSelector("#f-email:focus");
  release();
  await loginFilledIn(page);
  await page.keyboard.type("bia@demo.despacho.example");
  assert.deepEqual(
    [await page.inputValue("#f-email"), await page.inputValue("#f-password")],
    ["bia@demo.despacho.example", ""],
  );
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("order is created at the displayed price", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const code = uniqueCode("NOVO");
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await page.fill(`${DELIVERY}-address-city`, "São Paulo");
  await page.selectOption(`${DELIVERY}-address-state`, "SP");
  const price = page.getByTestId("price");
  await page.waitForFunction(() =>
    /R\$/.test(document.querySelector("[data-testid=price]")?.textContent ?? ""),
  );
  const rough = await price.innerText();
  await fillOrder(page, code);
  await page.waitForFunction((before) => {
    const box = document.querySelector("[data-testid=price]");
    return (
      box?.closest("[aria-busy=false]") !== null &&
      /R\$/.test(box?.textContent ?? "") &&
      box?.textContent !== before
    );
  }, rough);
  const shown = await price.innerText();
  await sendOrder(page);
  await page.waitForFunction(
    (expected) => document.querySelector("#title")?.textContent?.includes(expected),
    code,
  );
  assert.equal(await page.locator(".price tfoot td.number").innerText(), shown);
  // The map is loaded on demand.
  for (const drawn of [".mark.pickup", ".leg"])
    await page.locator(`.map ${drawn}`).first().waitFor({ state: "attached" });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("price computed in the page equals the server's price", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  // After the compiled core is loaded, the page sends no preview requests.
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith(".wasm")),
    goTo(page, "/orders/new"),
  ]);
  await page.fill(`${DELIVERY}-address-zipCode`, "01304-001");
  await page.waitForFunction(
    ([city, state]) =>
      document.querySelector(city)?.value === "São Paulo" &&
      document.querySelector(state)?.value === "SP",
    [`${DELIVERY}-address-city`, `${DELIVERY}-address-state`],
  );
  let requests = 0;
  page.on("request", (request) => (requests += request.url().endsWith("/preview") ? 1 : 0));
  await fillAddress(page, `${DELIVERY}-address`, VERGUEIRO);
  await page.waitForFunction(
    () =>
      document.querySelector("[data-source=page]") !== null &&
      document.querySelector("[aria-busy=false] [data-testid=price]") !== null,
  );
  const shown = await page.getByTestId("price").innerText();
  assert.equal(requests, 0, "the page requested a preview from the server");
  const box = await api(page, "POST", "/delivery/orders/preview", {
    preparationTime: 0,
    previewDeliveryTime: true,
    deliveries: [{ address: VERGUEIRO, onlinePayment: true }],
  });
  const money = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
  assert.equal(shown.replace(/\s/g, " "), money.format(box.body.deliveryFee).replace(/\s/g, " "));

  // The page reports errors of the compiled core next to the fields.
  await page.fill(`${DELIVERY}-address-latitude`, "95");
  await page.waitForSelector(`${DELIVERY}-address-latitude-error`);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("order page follows the delivery without a reload", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  await page.waitForSelector(".connection.live");
  const made = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("OLHA"),
    previewDeliveryTime: true,
    deliveries: [{ name: "Maria Silva", address: VERGUEIRO }],
  });
  assert.equal(made.status, 201);
  await goTo(page, "/orders");
  const row = page.locator(".orders tr", { hasText: made.body.code });
  await row.waitFor();
  await goTo(page, `/orders/${made.body.id}`);
  const statuses = new Set();
  const positions = new Set();
  const deadline = Date.now() + 240_000;
  while (Date.now() < deadline && !statuses.has("Entregue")) {
    statuses.add(await page.locator(".heading .badge").innerText());
    const courier = page.locator(".map .mark.courier");
    if (positions.size === 2) await screenshot(page, "order-moving");
    if ((await courier.count()) > 0)
      positions.add(await courier.getAttribute("d").catch(() => null));
    await page.waitForTimeout(100);
  }
  assert.ok(statuses.has("Entregue"), `statuses: ${[...statuses].join(", ")}`);
  assert.ok(positions.size > 1, "the courier moved on the map");
  assert.ok((await page.locator(".timeline li").count()) >= 5);

  // The delivery time is compared with the promised time, on the order's page and in the list of finished orders.
  await page
    .locator(".heading")
    .getByText(/entregue .*\d\d:\d\d, no prazo/)
    .waitFor();
  const { body } = await api(page, "GET", `/delivery/orders/${made.body.id}`);
  await page.reload();
  await page.waitForSelector(".timeline");
  await goTo(page, "/orders");
  await page.getByRole("button", { name: /Encerrados/ }).click();
  await row.getByText("no prazo").waitFor();
  const delivered = body.events.find((event) => event.type === "delivery.delivered").createdAt;
  assert.equal(await row.locator(".due time").getAttribute("datetime"), delivered);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("failed webhook message can be resent from the log", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  // Fails until the test sets another status.
  const received = [];
  let status = 500;
  const receiver = createServer((request, response) => {
    received.push(request.headers["webhook-id"]);
    request.resume().on("end", () => response.writeHead(status).end());
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  await goTo(page, "/webhooks");
  await page.getByRole("button", { name: "Novo webhook" }).click();
  await page.fill("#f-url", "ftp://example");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("#f-url-error");
  const url = `http://127.0.0.1:${receiver.address().port}/${uniqueCode("loja")}`;
  await page.fill("#f-url", url);
  // One rare event type, so that orders of other tests cause no messages.
  await page.locator("dialog label", { hasText: "order.return_waived" }).click();
  await page.click("dialog button[type=submit]");
  // The webhook outlives the session.
  const person = page.locator("dialog").filter({ has: page.locator("#f-currentPassword") });
  await person.locator("input").fill("errada");
  await page.keyboard.press("Enter");
  await person.locator("#f-currentPassword-error").waitFor();
  await person.locator("input").fill(PASSWORD);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".secret code").innerText(), /^whsec_/);
  await page.getByRole("link", { name: url }).click();
  await page.getByRole("button", { name: "Enviar um teste" }).click();
  const rows = page.locator(".table tbody tr");
  await rows.filter({ hasText: "HTTP 500" }).first().waitFor();
  status = 204;
  await rows
    .filter({ hasText: "HTTP 500" })
    .first()
    .getByRole("button", { name: /Reenviar/ })
    .click();
  await rows.filter({ hasText: "HTTP 204" }).first().waitFor();
  assert.ok(
    received.length >= 2 && new Set(received).size === 1,
    "the same message is sent more than once",
  );
  await page.getByRole("button", { name: "Remover" }).click();
  await page.locator("dialog .danger").click();
  await page.waitForFunction(() => location.hash === "#/webhooks");
  assert.deepEqual(pageErrors, []);
  receiver.close();
  await context.close();
});

test("rejected order shows the API errors next to the fields", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  await goTo(page, "/orders/new");
  // Until the user types, the form contains the suggested code as soon as the day's orders are loaded.
  await page.fill("#f-code", "x");
  await page.fill("#f-code", "");
  await page.fill(`${DELIVERY}-phone`, "1198");
  await page.fill(`${DELIVERY}-address-zipCode`, "123");
  await sendOrder(page);
  await page.waitForSelector("#f-code-error");
  const sent = { code: "", deliveries: [{ name: "", phone: "1198", address: { zipCode: "123" } }] };
  const key = await page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")).key);
  const response = await fetch(`${BASE}/delivery/orders`, {
    method: "POST",
    headers: { "x-api-token": key, "content-type": "application/json", "accept-language": "pt-BR" },
    body: JSON.stringify(sent),
  });
  const { errors } = await response.json();
  for (const { pointer, detail } of errors.filter((one) =>
    /code$|phone$|zipCode$|street$/.test(one.pointer),
  )) {
    const message = page.locator(`#f${pointer.replace(/[^A-Za-z0-9]/g, "-")}-error`);
    assert.equal(await message.innerText(), detail, pointer);
  }
  assert.equal(await page.getAttribute(`${DELIVERY}-phone`, "aria-invalid"), "true");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("failed order creation appears in the notifications", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const code = uniqueCode("ERRO");
  const system = await api(page, "POST", "/delivery/keys", {
    name: code,
    expiresInDays: 1,
    currentPassword: PASSWORD,
  });
  const rejected = await request(system.body.value, "POST", "/delivery/orders", {
    code,
    deliveries: [
      { address: { city: "São Paulo", state: "SP", street: "Rua A", number: "1", zipCode: "123" } },
    ],
  });
  assert.equal(rejected.status, 422);
  await goTo(page, "/notifications");
  const card = page.locator(".notice-item", { hasText: code });
  await card.waitFor();
  assert.match(await card.innerText(), /Entrega 1,.*CEP: /);
  await card.getByRole("button", { name: "Marcar como lida" }).click();
  await page.waitForFunction((expected) => {
    const items = [...document.querySelectorAll(".notice-item")];
    return items.some(
      (one) => one.textContent.includes(expected) && !one.classList.contains("unread"),
    );
  }, code);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("new branch shows its API key", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  await goTo(page, "/stores/new");
  await page.click("form button[type=submit]");
  await page.waitForSelector("#f-cnpj-error");
  const name = `Filial ${uniqueCode("T")}`;
  await page.fill("#f-name", name);
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Equipe");
  await page.fill("#f-responsible-phone", "+5511990000300");
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.fill("#f-email", `${uniqueCode("filial").toLowerCase()}@demo.despacho.example`);
  await page.fill("#f-password", "a long password");
  await page.fill("#f-currentPassword", "despacho-demo");
  await page.click("form button[type=submit]");
  const box = page.locator(".secret code");
  await box.waitFor();
  assert.match(await box.innerText(), /^dsp_/);
  await page.locator(".table td", { hasText: name }).first().waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("order submitted offline is sent after reconnecting", async () => {
  const { page, context } = await openLoggedIn(browser);
  const code = uniqueCode("QUEDA");
  await fillOrder(page, code);
  await page.waitForFunction(() =>
    /R\$/.test(document.querySelector("[data-testid=price]")?.textContent ?? ""),
  );
  await context.setOffline(true);
  await page.waitForSelector(".banner");
  await page.fill(`${DELIVERY}-observation`, "Portão azul");
  await sendOrder(page);
  await page.waitForSelector(".create-price .notice", { timeout: 30_000 });
  await context.setOffline(false);
  await page.waitForFunction(
    (expected) => document.querySelector("#title")?.textContent?.includes(expected),
    code,
  );
  assert.match(await page.locator(".stops").innerText(), /Portão azul/);
  assert.equal(await page.locator(".banner").count(), 0);

  // A reload keeps the draft.
  await goTo(page, "/orders/new");
  await page.fill("#f-code", "RASCUNHO-1");
  await page.reload();
  await page.waitForSelector("#f-code");
  assert.equal(await page.inputValue("#f-code"), "RASCUNHO-1");
  await context.close();
});

test("a store's rows are not shown for another store that fails to load", async () => {
  const { page, pageErrors, context } = await openLoggedIn(browser);
  const fail = (route) =>
    route.fulfill({
      status: 500,
      json: { code: "internal", status: 500, detail: "Falha do teste." },
    });
  await goTo(page, "/keys");
  await page.locator("tbody tr").first().waitFor();
  await page.route("**/delivery/keys?storeId=*", fail);
  await page.locator(".filters select").selectOption({ index: 1 });
  await page.getByText("Falha do teste.").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 0);
  await page.unroute("**/delivery/keys?storeId=*");
  await page.getByRole("button", { name: "Tentar novamente" }).click();
  await page.locator("tbody tr, .state").first().waitFor();

  await goTo(page, "/balance");
  await page.locator(".amount", { hasText: "R$" }).waitFor();
  const other = await page.locator(".filters select option").nth(1).getAttribute("value");
  await page.route(`**/delivery/stores/${other}`, fail);
  await page.locator(".filters select").selectOption(other);
  await page.locator(".amount", { hasText: "—" }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("panel can be used with the keyboard only", async () => {
  const { page, context } = await open(browser);
  await page.goto(BASE);
  await page.waitForSelector("#f-email");
  const press = async (key) => page.keyboard.press(key);
  await loginFilledIn(page);
  // The first field has the focus.
  await press("ControlOrMeta+A");
  await page.keyboard.type("matriz@demo.despacho.example");
  await press("Tab");
  await press("ControlOrMeta+A");
  await page.keyboard.type("despacho-demo");
  await press("Enter");
  await page.waitForSelector(".side");
  await page.waitForSelector(".orders tbody tr, .state");
  await press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.className), "skip");
  await press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
  await goTo(page, "/keys");
  // The focus announces the new page.
  await page.waitForFunction(() => document.activeElement?.id === "title");
  await page.getByRole("button", { name: "Nova chave" }).press("Enter");
  await page.waitForSelector("dialog[open]");
  await press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
  await context.close();
});
