// The plugin in a real browser, with a real WordPress, MariaDB and Despacho, and the test double of WooCommerce.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import {
  FOLDER,
  LOG,
  clear,
  freePort,
  startDespacho,
  startShop,
  stop,
  stopAll,
} from "./site/processes.mjs";

// The panel's tests install playwright-core.
const { chromium } = createRequire(
  path.resolve(import.meta.dirname, "../../../hosts/panel/package.json"),
)("playwright-core");
const SHOTS = path.join(FOLDER, "screenshots");
const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 780 };
const WAIT = 20_000;
const ADDRESS = {
  first_name: "Maria",
  last_name: "Silva",
  postcode: "01304-001",
  address_1: "Rua Augusta",
  address_2: "ap. 52",
  city: "São Paulo",
  state: "SP",
  phone: "(11) 99999-0000",
  email: "maria@exemplo.com.br",
};

let browser;
let shop;
let despacho;
let port;
let admin;

before(async () => {
  clear();
  mkdirSync(SHOTS, { recursive: true });
  port = await freePort();
  const executablePath = process.env.DESPACHO_CHROMIUM ?? "/usr/bin/chromium";
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  [shop, despacho, browser] = await Promise.all([
    startShop(),
    startDespacho(port),
    chromium.launch({ executablePath, args }),
  ]);
  admin = await open(DESKTOP);
  await admin.goto(`${shop.url}/wp-login.php`);
  await admin.fill("#user_login", "admin");
  await admin.fill("#user_pass", "senha-de-teste");
  await admin.click("#wp-submit");
  await admin.waitForURL(/wp-admin/);
});
after(async () => {
  await browser?.close();
  await stopAll();
});

async function open(viewport) {
  const context = await browser.newContext({ viewport, locale: "pt-BR" });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT);
  return page;
}

const shot = (page, name) =>
  page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });

/** Sends a request of the demo store. */
async function api(method, url, body) {
  const headers = { "x-api-token": despacho.key, "content-type": "application/json" };
  const response = await fetch(despacho.base + url, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  return response.json();
}

/** Saves settings in the admin and returns the notices. */
async function save(values) {
  await admin.goto(`${shop.url}/wp-admin/admin.php?page=despacho`);
  for (const [name, value] of Object.entries(values)) await admin.fill(`#despacho-${name}`, value);
  await admin.click("#submit");
  return admin.locator(".notice").allInnerTexts();
}

async function press(button) {
  await admin.click(button);
  await admin.waitForSelector(".notice");
  return (await admin.locator(".notice").allInnerTexts()).join("\n");
}

/** Opens the checkout with products, and fills it in. */
async function fillCheckout(page, fields) {
  await page.goto(`${shop.url}/?loja=carrinho&add=bolo`);
  await page.goto(`${shop.url}/?loja=checkout`);
  await page.waitForFunction(() => Number(document.body.dataset.updates ?? 0) > 0);
  const updates = await page.evaluate((values) => {
    for (const [name, value] of Object.entries(values))
      document.querySelector(`#billing_${name}`).value = value;
    const count = Number(document.body.dataset.updates);
    jQuery(document.querySelector("#billing_address_1")).trigger("change");
    return count;
  }, fields);
  await page.waitForFunction((before) => Number(document.body.dataset.updates) > before, updates);
}

/** Places the order and returns its ID. */
async function placeOrder(page) {
  await page.click("#place_order");
  await page.waitForURL(/loja=pedido/);
  return Number(new URL(page.url()).searchParams.get("id"));
}

/** Runs the scheduled actions that are due within some seconds, and returns their number. */
async function runActions(seconds = 0) {
  const text = await (await fetch(`${shop.url}/?loja=tarefas&ate=${seconds}`)).text();
  return Number(/id="count">(\d+)</.exec(text)[1]);
}

/** Returns the site's settings, orders, actions and mails. */
const inspect = async () => (await fetch(`${shop.url}/?loja=estado`)).json();
const order = async (id) => (await inspect()).orders[id];
const notes = async (id) => (await order(id)).notes.join("\n");

/** Waits for a condition that a webhook fulfils. */
async function until(condition, what) {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  assert.fail(`waited in vain for ${what}`);
}

test("settings report a wrong key, connect and create the webhook", async () => {
  await save({ base_url: despacho.base, api_key: "dsp_wrong", preparation_minutes: "0" });
  assert.match(await press("#despacho_test"), /não aceita a chave de API/);
  await save({ base_url: `http://127.0.0.1:${await freePort()}` });
  assert.match(await press("#despacho_test"), /Sem resposta/);
  assert.match((await save({ base_url: "http://entregas.example" })).join(), /https:\/\//);
  await save({ base_url: despacho.base, api_key: despacho.key });
  assert.equal(
    await admin.inputValue("#despacho-api_key"),
    "",
    "the page does not contain the key",
  );
  assert.match(await press("#despacho_test"), /Conectado à loja[\s\S]*Não há webhook/);
  assert.match(await press("#despacho_webhook"), /webhook foi criado/);
  assert.match(await press("#despacho_test"), /O webhook está ativo/);
  await shot(admin, "settings-desktop");
  await admin.setViewportSize(PHONE);
  await shot(admin, "settings-phone");
  await admin.setViewportSize(DESKTOP);
});

test("order is priced, paid, delivered and completed", async () => {
  const page = await open(PHONE);
  await page.goto(`${shop.url}/?loja=carrinho&add=bolo`);
  assert.match(await page.innerText(".shipping"), /Informe o CEP/);
  await page.fill("#calc_shipping_postcode", ADDRESS.postcode);
  await page.getByRole("button", { name: "Calcular entrega" }).click();
  await page.waitForSelector(".cost");
  assert.match(await page.innerText(".despacho-hint"), /Preço para o CEP/);
  await shot(page, "cart-phone");

  await fillCheckout(page, ADDRESS);
  await page.click("#place_order");
  assert.match(await page.innerText(".woocommerce-error"), /Número/);
  await shot(page, "missing-number-phone");
  await fillCheckout(page, { ...ADDRESS, number: "900", neighborhood: "Consolação" });
  assert.match(await page.innerText(".despacho-hint"), /Previsão/);
  const price = Number((await page.innerText(".cost")).replace(/[^\d,]/g, "").replace(",", "."));
  await shot(page, "checkout-phone");
  const id = await placeOrder(page);
  assert.equal((await order(id)).status, "processing");
  assert.match(await page.innerText(".despacho-tracking"), /sendo agendada/);
  assert.equal(await runActions(), 1, "both hooks of the payment schedule one action");

  const { orders } = await api("GET", `/delivery/orders?q=WC-${id}`);
  assert.equal(orders.length, 1);
  assert.equal(orders[0].deliveryFee, price);
  assert.deepEqual(orders[0].requirements, {
    vehicle: [],
    weightGrams: 3600,
    volumeMillilitres: 22500,
    packages: 1,
  });
  const { address } = orders[0].deliveries[0];
  assert.deepEqual(
    [address.street, address.number, address.neighborhood],
    ["Rua Augusta", "900", "Consolação"],
  );
  await page.reload();
  const link = await page.getAttribute(".despacho-tracking a", "href");
  assert.match(link, /\/t\//);
  await shot(page, "received-phone");

  await until(async () => (await order(id)).status === "completed", "the delivery");
  assert.match(await notes(id), /a caminho da coleta/);
  await page.reload();
  assert.equal(await page.innerText("#status"), "completed");
  const mail = (await inspect()).mails.find(
    (one) => one.subject === `Seu pedido foi concluído (${id})`,
  );
  assert.ok(mail.message.includes(link), "the mail has the link");
  await admin.goto(`${shop.url}/wp-admin/admin.php?page=woocommerce&id=${id}`);
  await shot(admin, "order-desktop");
});

test("forged, old and repeated webhooks change nothing", async () => {
  const { settings, orders } = await inspect();
  const [id, row] = Object.entries(orders)[0];
  const delivery = await api("GET", `/delivery/orders/${row.meta._despacho_order_id}`);
  const send = async (
    event,
    { secret = settings.webhook_secrets[0], time = Math.floor(Date.now() / 1000) } = {},
  ) => {
    const body = JSON.stringify({
      type: event.type,
      timestamp: event.createdAt,
      data: { event, order: { ...delivery, situation: 110 }, recipient: null },
    });
    const tag = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
      .update(`evt_1.${time}.${body}`)
      .digest("base64");
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(time),
      "webhook-signature": `v1,${tag}`,
      "content-type": "application/json",
    };
    const response = await fetch(`${shop.url}/index.php?rest_route=/despacho/v1/webhook`, {
      method: "POST",
      headers,
      body,
    });
    return [response.status, (await response.json()).result];
  };
  const [first] = delivery.events;
  assert.deepEqual(await send(first, { secret: "whsec_AAAA" }), [401, undefined]);
  assert.deepEqual(await send(first, { time: 1_700_000_000 }), [401, undefined]);
  assert.deepEqual(await send(first), [200, "ignored"]);
  assert.deepEqual(await send(delivery.events.at(-1)), [200, "ignored"]);
  assert.deepEqual(await order(id), row);
});

test("shop sells while the service is down and creates the order once", async () => {
  await stop(despacho.child);
  const page = await open(DESKTOP);
  await fillCheckout(page, { ...ADDRESS, number: "1200" });
  assert.match(await page.innerText(".shipping .label"), /preço fixo/);
  assert.match(await page.innerText(".despacho-hint"), /indisponível/);
  await shot(page, "down-desktop");
  const id = await placeOrder(page);
  assert.equal(await runActions(), 1);
  assert.match(await notes(id), /ainda não foi criada[\s\S]*Próxima tentativa/);
  assert.equal(await runActions(), 0, "the next attempt is later");
  assert.equal(await runActions(90), 1);
  assert.equal((await notes(id)).match(/ainda não foi criada/g).length, 1, "an outage is one note");
  await admin.goto(`${shop.url}/wp-admin/admin.php?page=woocommerce&id=${id}`);
  await shot(admin, "order-down-desktop");

  despacho = await startDespacho(port);
  assert.equal(await runActions(600), 1);
  assert.match(await notes(id), /criada\. Taxa: R\$/);
  assert.equal(await runActions(100_000), 0);
  const { orders } = await api("GET", `/delivery/orders?q=WC-${id}`);
  assert.equal(orders.length, 1);
});

test("transfer that is confirmed later creates the delivery at the quoted fee", async () => {
  const page = await open(DESKTOP);
  await fillCheckout(page, { ...ADDRESS, number: "900" });
  await page.check("input[value=bacs]");
  const id = await placeOrder(page);
  assert.equal(await runActions(), 0, "an unpaid order has no delivery");
  await setStatus(id, "processing");
  assert.equal(await runActions(), 1);
  const [delivery] = (await api("GET", `/delivery/orders?q=WC-${id}`)).orders;
  assert.equal(String(delivery.deliveryFee), (await order(id)).shipping[0].meta._despacho_fee);
});

test("cancelled order cancels its delivery and shows the cost", async () => {
  await save({ preparation_minutes: "60" });
  const page = await open(DESKTOP);
  await fillCheckout(page, { ...ADDRESS, number: "900" });
  const id = await placeOrder(page);
  assert.equal(await runActions(), 1);
  await setStatus(id, "cancelled");
  assert.equal(await runActions(), 1);
  assert.match(await notes(id), /cancelada sem custo/);
  const [delivery] = (await api("GET", `/delivery/orders?q=WC-${id}`)).orders;
  assert.equal(delivery.situation, 600);
});

test("no test causes a warning of PHP", () => {
  const log = readFileSync(LOG, "utf8");
  assert.match(log, /despacho: preview failed: no_response/);
  assert.doesNotMatch(log, /PHP (Warning|Notice|Fatal|Parse)/);
});

test("uninstalled plugin leaves no options and no webhook", async () => {
  shop.uninstall();
  const state = await inspect();
  assert.deepEqual(state.options, []);
  assert.equal(state.actions.filter((action) => action.status === "pending").length, 0);
  assert.deepEqual((await api("GET", "/delivery/webhooks")).webhooks, []);
});

async function setStatus(id, status) {
  await admin.goto(`${shop.url}/wp-admin/admin.php?page=woocommerce&id=${id}`);
  await admin.selectOption("#order_status", status);
  await admin.click("#update");
  await admin.waitForFunction(
    (wanted) => document.querySelector("#status")?.textContent === wanted,
    status,
  );
}
