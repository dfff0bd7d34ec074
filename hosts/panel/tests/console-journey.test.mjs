// From a new store to a reassigned order, a compared tariff and new passwords: the operator's console and the merchant panel in several browsers.
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
  request,
  uniqueCnpj,
  uniqueCode,
  until,
} from "./browser.mjs";
import { TOKEN, openConsole } from "./operator.mjs";

const PASSWORD = "uma senha comprida 2026";
const NEW_PASSWORD = "outra senha comprida 2026";
/** The most keys that a user presses for an order: 30 seconds at five keys per second. */
const MAX_KEYS = 150;
/** The longest time from the first key to the page of the new order. */
const MAX_TYPING_MS = 30_000;
/** The time between two keys of the scripted typing. */
const KEY_MS = 40;

let browser;
/** The operator, the owner of the new store and its clerk, each in a browser of their own. */
let operator;
let owner;
let clerk;
/** The ID of the new store, and the email addresses of its owner and its clerk. */
let store;
const email = () => `${uniqueCode("loja")}@exemplo.com.br`.toLowerCase();
const mail = email();
const clerkMail = email();
before(async () => {
  browser = await launch();
  operator = await openConsole(browser);
});
const figures = [];
after(async () => {
  await browser.close();
  for (const line of figures) console.log(line);
});

/** The operator creates a sandbox store, whose orders the couriers of the test carry, and a link for its password. */
async function createStore(page, email) {
  await goTo(page, "/stores/new");
  await page.fill("#f-name", uniqueCode("Mercado"));
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Lia Reis");
  await page.fill("#f-responsible-phone", "(11) 98765-4321");
  await page.fill("#f-email", email);
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.getByLabel("Loja de sandbox").check();
  await page.click("form button[type=submit]");
  return newLink(page);
}

/** Creates a link for the password on the page of a store. */
async function newLink(page) {
  const access = page.getByTestId("password-link");
  await access.getByRole("button", { name: "Novo link de senha" }).click();
  return access.locator(".secret code").textContent();
}

/** Sets a password with a link in a new browser, and logs in. */
async function join(link, email, password = PASSWORD) {
  const opened = await open(browser);
  const { page } = opened;
  await page.goto(`${BASE}/${new URL(link).hash}`);
  await page.fill("#f-newPassword", password);
  await page.fill("#f-repeated", password);
  await page.click("button[type=submit]");
  await page.getByRole("button", { name: "Entrar" }).click();
  await page.waitForSelector("#f-email");
  // The demo's login, which arrives later, must not replace the typed one.
  await page.waitForFunction(() => document.querySelector("#f-password").value !== "");
  await page.fill("#f-email", email);
  await page.fill("#f-password", password);
  await page.click("button[type=submit]");
  await page.waitForSelector(".side");
  return opened;
}

async function addUser(page, email) {
  await goTo(page, "/access");
  await page.getByRole("button", { name: "Adicionar usuário" }).click();
  await page.fill("dialog #f-name", "Bia Balcão");
  await page.fill("dialog #f-email", email);
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await page.click("dialog button[type=submit]");
  return page.textContent(".secret code");
}

/** A keyboard that counts its keys. */
function typist(page) {
  let keys = 0;
  const press = async (key) => {
    keys += 1;
    await page.keyboard.press(key, { delay: KEY_MS });
  };
  const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
  return {
    press,
    count: () => keys,
    /** Moves to a field with the tab key. */
    to: async (id) => {
      for (let at = 0; at < 30 && (await focused()) !== id; at += 1) await press("Tab");
      assert.equal(await focused(), id, "the tab key reaches the field");
    },
    type: async (text) => {
      keys += text.length;
      await page.keyboard.type(text, { delay: KEY_MS });
    },
  };
}

/** Creates an order with the keyboard only, from the list of orders on. */
async function typeOrder(page, code) {
  const keyboard = typist(page);
  const start = Date.now();
  await keyboard.press("n");
  await page.waitForSelector("#f-code");
  const at = "f-deliveries-0";
  for (const [id, text] of [
    ["f-code", code],
    ["f-preparationTime", "0"],
    [`${at}-name`, "Rita Gomes"],
    [`${at}-phone`, "11987654321"],
    [`${at}-address-zipCode`, "01310200"],
    [`${at}-address-street`, "Avenida Paulista"],
    [`${at}-address-number`, "1578"],
  ]) {
    await keyboard.to(id);
    // The field contains the last preparation time.
    if (id === "f-preparationTime") await keyboard.press("Control+a");
    await keyboard.type(text);
  }
  if ((await page.inputValue(`#${at}-address-city`)) === "") {
    await keyboard.to(`${at}-address-city`);
    await keyboard.type("São Paulo");
    await keyboard.to(`${at}-address-state`);
    await keyboard.type("SP");
  }
  await keyboard.press("Enter");
  await page.waitForFunction(() => /^#\/orders\/\d+$/.test(location.hash));
  const tookMs = Date.now() - start;
  figures.push(
    `an order by keyboard: ${keyboard.count()} keys, ${(tookMs / 1000).toFixed(1)} s with ${KEY_MS} ms per key`,
  );
  assert.ok(keyboard.count() < MAX_KEYS, `${keyboard.count()} keys`);
  assert.ok(tookMs < MAX_TYPING_MS, `${tookMs} ms`);
  return Number(/\d+$/.exec(page.url())[0]);
}

/** Clicks the mark of an order's stop on the map, after its name is shown. */
async function clickMark(page, id, code) {
  const mark = page.locator(`.map .mark.stop.order-${id}`);
  await mark.hover();
  await page.locator(".leaflet-tooltip", { hasText: code }).waitFor();
  await mark.click();
  await page.waitForFunction((expected) => location.hash === expected, `#/orders/${id}`);
}

/** Asserts that a login has the new password only. */
async function assertNewPassword(email) {
  const status = async (password) =>
    (await request("", "POST", "/delivery/sessions", { email, password })).status;
  assert.deepEqual([await status(PASSWORD), await status(NEW_PASSWORD)], [401, 201]);
}

/** Opens the console's page of the store. */
const openStore = () => goTo(operator.page, `/stores/${store}`);

test("the operator creates a store, whose user creates an order that the operator reassigns", async () => {
  owner = await join(await createStore(operator.page, mail), mail);
  store = Number(/\d+$/.exec(operator.page.url())[0]);
  clerk = await join(await addUser(owner.page, clerkMail), clerkMail);

  const couriers = [await courier(uniqueCode("Ana")), await courier(uniqueCode("Bruno"))];
  for (const one of couriers)
    await one.send("position", { latitude: VERGUEIRO.latitude, longitude: VERGUEIRO.longitude });
  await goTo(operator.page, "/map");

  const code = uniqueCode("J");
  const id = await typeOrder(clerk.page, code);
  const order = () => request(TOKEN, "GET", `/admin/orders/${id}`);
  const first = (await until(order, ({ body }) => body.situation === 210)).body.deliveryMan.id;

  // The operator sees the order on the map, which is read again regularly.
  await operator.page.locator(".fleet-list a", { hasText: code }).waitFor();
  const city = operator.page.getByRole("combobox", { name: "Cidade da coleta" });
  // Without open orders in other cities there is no choice.
  if ((await city.count()) > 0) await city.selectOption("São Paulo – SP");
  await clickMark(operator.page, id, code);
  await operator.page.getByRole("button", { name: "Reatribuir" }).click();
  const next = couriers.find((one) => one.id !== first);
  await operator.page.selectOption("dialog #f-courierId", String(next.id));
  await operator.page.fill("dialog #f-reason", "Pneu furado");
  await operator.page.locator("dialog").getByRole("button", { name: "Reatribuir" }).click();
  await operator.page.waitForSelector("dialog", { state: "detached" });
  assert.equal((await order()).body.deliveryMan.id, next.id);
  // The clerk sees the new courier, and the reason in the history.
  await clerk.page.locator(".timeline", { hasText: "Pneu furado" }).waitFor();
  for (const one of couriers) await one.stop();
});

test("the clerk cannot open keys", async () => {
  const { page } = clerk;
  assert.equal(await page.locator("nav a[href='#/keys']").count(), 0);
  await goTo(page, "/keys");
  await page.waitForSelector(".state[role=alert]");
  assert.equal(await page.getByRole("table").count(), 0);
  const rejected = await api(page, "GET", "/delivery/keys");
  assert.deepEqual([rejected.status, rejected.body.code], [403, "role_not_allowed"]);
});

test("the operator compares a tariff with the store's order, schedules it and deletes it", async () => {
  const { page } = operator;
  const list = async () => (await request(TOKEN, "GET", "/admin/tariffs")).body.tariffs;
  const { tariff } = (await list()).find((one) => one.state === "CURRENT");
  await goTo(page, "/tariffs");
  await page.getByRole("button", { name: `Copiar para o rascunho: ${tariff.version}` }).click();
  const name = uniqueCode("T");
  await page.fill("#f-tariff-version", name);
  await page.fill("#f-tariff-baseFee", String(Number(tariff.baseFee) + 1).replace(".", ","));
  await page.getByText("O rascunho é válido.").waitFor();
  await page.getByLabel("Loja").fill(`#${store}`);
  await page.getByRole("button", { name: "Calcular" }).click();
  assert.match(
    await page.getByTestId("what-if").locator("tbody tr").innerText(),
    new RegExp(`#${store}\\s+1\\s+R\\$.*\\+R\\$\\s1,[0-9]{2}\\s+0`, "s"),
  );

  await page.getByRole("button", { name: "Pôr em vigor" }).click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByTestId("summary").getByText("Diferença").waitFor();
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await page.fill("#f-effectiveFrom", `${soon}T08:00`);
  await dialog.getByRole("button", { name: "Pôr em vigor" }).click();
  const row = page.locator("tbody tr", { hasText: name });
  await row.getByText("Agendada").waitFor();
  await row.getByRole("button", { name: /^Excluir/ }).click();
  await page.locator("dialog[open] .button.danger").click();
  await row.waitFor({ state: "detached" });
  assert.equal(
    (await list()).some((one) => one.tariff.version === name),
    false,
  );
});

test("a link of the operator resets the owner's password", async () => {
  await openStore();
  const again = await join(await newLink(operator.page), mail, NEW_PASSWORD);
  assert.equal(
    await again.page.locator(".account-name").innerText(),
    await operator.page.locator("#title").innerText(),
  );
  await assertNewPassword(mail);
  assert.deepEqual(again.pageErrors, []);
  await again.context.close();
});

test("a link of the operator resets the clerk's password", async () => {
  const { page } = operator;
  await openStore();
  const users = page.locator("[aria-labelledby=users]");
  const row = users.locator("tbody tr");
  await row.first().waitFor();
  assert.equal(await row.count(), 1, "the store's own login is not in the list");
  assert.match(await row.innerText(), new RegExp(`Bia Balcão\\s+${clerkMail}\\s+Atendente`));
  await row.getByRole("button", { name: "Novo link de senha: Bia Balcão" }).click();
  await page.locator("dialog[open] button[type=submit]").click();
  await users.getByText("Envie este link a Bia Balcão.").waitFor();
  await page.waitForSelector("dialog", { state: "detached" });
  const again = await join(
    await users.locator(".secret code").textContent(),
    clerkMail,
    NEW_PASSWORD,
  );
  assert.equal(await again.page.locator("nav a[href='#/keys']").count(), 0);
  await assertNewPassword(clerkMail);
  assert.deepEqual(again.pageErrors, []);
  await again.context.close();
});

test("pages have no errors", () => {
  for (const { pageErrors } of [operator, owner, clerk]) assert.deepEqual(pageErrors, []);
});
