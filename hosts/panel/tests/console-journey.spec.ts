// From a new store to a reassigned order, a compared tariff and new passwords: the operator's console and the merchant panel in several browsers.
import {
  JOINVILLE,
  PASSWORD,
  api,
  request,
  uniqueCnpj,
  uniqueCode,
  uniqueEmail,
  until,
  type Body,
} from "./support/api";
import { expect, test } from "./support/fixtures";
import {
  defectsEverywhere,
  dialogClosed,
  fillAddress,
  goTo,
  isAt,
  sendLogin,
} from "./support/page";
import { OPERATOR } from "./support/server";
import type { Page } from "@playwright/test";

const NEW_PASSWORD = "outra senha comprida 2026";
/** The most keys that a user presses for an order: 30 seconds at five keys per second. */
const MAX_KEYS = 150;
/** The time between two keys of the scripted typing. */
const KEY_MS = 40;

/** Returns the ID at the end of the address. */
const idIn = (page: Page) => Number(/\d+$/.exec(page.url())?.[0]);

const figures: string[] = [];
test.afterAll(() => {
  for (const line of figures) console.log(line);
});

/** The operator creates a sandbox store, whose orders the couriers of the test carry, and a link for its password. */
async function createStore(page: Page, email: string) {
  await goTo(page, "/stores/new");
  await page.fill("#f-name", uniqueCode("Mercado"));
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Lia Reis");
  await page.fill("#f-responsible-phone", "(11) 98765-4321");
  await page.fill("#f-email", email);
  await fillAddress(page, "#f-address", JOINVILLE);
  await page.getByLabel("Loja de sandbox").check();
  await page.click("form button[type=submit]");
  return newLink(page);
}

/** Creates a link for the password on the page of a store. */
async function newLink(page: Page): Promise<string> {
  const access = page.getByTestId("password-link");
  await access.getByRole("button", { name: "Novo link de senha" }).click();
  return access.locator(".secret code").innerText();
}

/** Sets a password with a link, and logs in. */
async function join(page: Page, link: string, email: string, password = PASSWORD): Promise<void> {
  await page.goto(`/${new URL(link).hash}`);
  await page.fill("#f-newPassword", password);
  await page.fill("#f-repeated", password);
  await page.click("button[type=submit]");
  await page.getByRole("button", { name: "Entrar" }).click();
  await expect(page.locator("#f-email")).toBeVisible();
  await sendLogin(page, { email, password });
  await expect(page.locator(".side")).toBeVisible();
}

async function addUser(page: Page, email: string): Promise<string> {
  await goTo(page, "/access");
  await page.getByRole("button", { name: "Adicionar usuário" }).click();
  await page.fill("dialog #f-name", "Bia Balcão");
  await page.fill("dialog #f-email", email);
  await page.fill("dialog #f-currentPassword", PASSWORD);
  await page.click("dialog button[type=submit]");
  return page.locator(".secret code").innerText();
}

/** A keyboard that counts its keys. */
function typist(page: Page) {
  let keys = 0;
  const press = async (key: string) => {
    keys += 1;
    await page.keyboard.press(key, { delay: KEY_MS });
  };
  const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
  return {
    press,
    count: () => keys,
    /** Moves to a field with the tab key. */
    to: async (id: string) => {
      for (let at = 0; at < 30 && (await focused()) !== id; at += 1) await press("Tab");
      expect(await focused(), "the tab key reaches the field").toBe(id);
    },
    type: async (text: string) => {
      keys += text.length;
      await page.keyboard.type(text, { delay: KEY_MS });
    },
  };
}

/** Creates an order with the keyboard only, from the list of orders on. */
async function typeOrder(page: Page, code: string): Promise<number> {
  const keyboard = typist(page);
  const start = Date.now();
  await keyboard.press("n");
  await expect(page.locator("#f-code")).toBeVisible();
  const at = "f-deliveries-0";
  for (const [id, text] of [
    [`${at}-phone`, "11987654321"],
    [`${at}-name`, "Rita Gomes"],
    [`${at}-address-zipCode`, "89204000"],
    [`${at}-address-street`, "Rua Visconde de Taunay"],
    [`${at}-address-number`, "500"],
    ["f-code", code],
    ["f-preparationTime", "0"],
  ]) {
    await keyboard.to(id);
    // The fields contain a suggested code and the last preparation time.
    if (id === "f-code" || id === "f-preparationTime") await keyboard.press("Control+a");
    await keyboard.type(text);
  }
  await keyboard.press("Enter");
  await isAt(page, /^#\/orders\/\d+$/);
  const tookMs = Date.now() - start;
  figures.push(
    `an order by keyboard: ${keyboard.count()} keys, ${(tookMs / 1000).toFixed(1)} s with ${KEY_MS} ms per key`,
  );
  expect(keyboard.count(), `${keyboard.count()} keys`).toBeLessThan(MAX_KEYS);
  return idIn(page);
}

/** Clicks the mark of an order's stop on the map, after its name is shown. */
async function clickMark(page: Page, id: number, code: string) {
  const mark = page.locator(`.map .mark.stop.order-${id}`);
  await mark.hover();
  await expect(page.locator(".leaflet-tooltip", { hasText: code })).toBeVisible();
  await mark.click();
  await isAt(page, `#/map?order=${id}`);
}

/** Asserts that a login has the new password only. */
async function assertNewPassword(email: string) {
  const status = async (password: string) =>
    (await request("", "POST", "/delivery/sessions", { email, password })).status;
  expect([await status(PASSWORD), await status(NEW_PASSWORD)]).toEqual([401, 201]);
}

test("the operator creates a store, whose user creates an order that the operator reassigns", async ({
  console: operator,
  open,
  courier,
}) => {
  const [mail, clerkMail] = [uniqueEmail(), uniqueEmail("bia")];
  const [owner, clerk] = [await open(), await open()];
  await join(owner, await createStore(operator, mail), mail);
  await join(clerk, await addUser(owner, clerkMail), clerkMail);
  const names = [uniqueCode("Ana"), uniqueCode("Bruno")] as const;
  const couriers = [await courier(names[0], JOINVILLE), await courier(names[1], JOINVILLE)];
  await goTo(operator, "/map");

  const code = uniqueCode("J");
  const id = await typeOrder(clerk, code);
  const order = () => request(OPERATOR, "GET", `/admin/orders/${id}`);
  const first = (await until(order, ({ body }) => body.situation === 210)).body.deliveryMan.id;

  // The operator sees the order on the map, which is read again regularly.
  await expect(operator.locator(".fleet-list a", { hasText: code })).toBeVisible();
  const city = operator.getByRole("combobox", { name: "Cidade da coleta" });
  // Without open orders in other cities there is no choice.
  if ((await city.count()) > 0) await city.selectOption("Joinville – SC");
  await clickMark(operator, id, code);
  // Three actions reassign it without another page: the mark, the courier, and the confirmation.
  const at = couriers[0]?.id === first ? 1 : 0;
  const [next, name] = [couriers[at]!, names[at]];
  const sheet = operator.getByRole("region", { name: code });
  await sheet.getByRole("button", { name: `Reatribuir: ${name}` }).click();
  await expect(operator.locator("dialog #f-courierId")).toHaveValue(String(next.id));
  await expect(operator.locator("dialog #f-reason")).toHaveValue("Escolhido no mapa");
  await operator.fill("dialog #f-reason", "Pneu furado");
  await operator.locator("dialog").getByRole("button", { name: "Reatribuir" }).click();
  await expect(operator.locator("dialog")).toHaveCount(0);
  expect((await order()).body.deliveryMan.id).toBe(next.id);
  // The courier who has it is no longer offered.
  await expect(sheet.getByRole("link", { name, exact: true })).toHaveCount(1);
  await expect(sheet.getByRole("button", { name: `Reatribuir: ${name}` })).toHaveCount(0);
  expect(await defectsEverywhere(operator, "map-order")).toEqual([]);
  await expect(sheet.getByRole("heading", { name: code })).toBeFocused();
  await operator.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  // The clerk sees the new courier, and the reason in the history.
  await expect(clerk.locator(".timeline", { hasText: "Pneu furado" })).toBeVisible();

  // The clerk cannot open keys.
  await expect(clerk.locator("nav a[href='#/keys']")).toHaveCount(0);
  await goTo(clerk, "/keys");
  await expect(clerk.locator(".state[role=alert]").first()).toBeVisible();
  await expect(clerk.getByRole("table")).toHaveCount(0);
  const rejected = await api(clerk, "GET", "/delivery/keys");
  expect([rejected.status, rejected.body.code]).toEqual([403, "role_not_allowed"]);
});

test("the operator compares a tariff with the store's order, schedules it and deletes it", async ({
  console: page,
  store,
}) => {
  await store.order();
  const list = async (): Promise<Body[]> =>
    (await request(OPERATOR, "GET", "/admin/tariffs")).body.tariffs;
  const { tariff } = (await list()).find((one) => one.state === "CURRENT");
  await goTo(page, "/tariffs");
  await page.getByRole("button", { name: `Copiar para o rascunho: ${tariff.version}` }).click();
  const name = uniqueCode("T");
  await page.fill("#f-tariff-version", name);
  await page.fill("#f-tariff-baseFee", String(Number(tariff.baseFee) + 1).replace(".", ","));
  await expect(page.getByText("O rascunho é válido.")).toBeVisible();
  await page.getByLabel("Loja").fill(`#${store.id}`);
  await page.getByRole("button", { name: "Calcular" }).click();
  await expect(page.getByTestId("what-if").locator("tbody tr")).toHaveText(
    new RegExp(`#${store.id}\\s+1\\s+R\\$.*\\+R\\$\\s1,[0-9]{2}\\s+0`, "s"),
    { useInnerText: true },
  );

  await page.getByRole("button", { name: "Pôr em vigor" }).click();
  const dialog = page.locator("dialog[open]");
  await expect(dialog.getByTestId("summary").getByText("Diferença")).toBeVisible();
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await page.fill("#f-effectiveFrom", `${soon}T08:00`);
  await dialog.getByRole("button", { name: "Pôr em vigor" }).click();
  const row = page.locator("tbody tr", { hasText: name });
  await expect(row.getByText("Agendada")).toBeVisible();
  await row.getByRole("button", { name: /^Excluir/ }).click();
  await page.locator("dialog[open] .button.danger").click();
  await expect(row).toHaveCount(0);
  expect((await list()).some((one) => one.tariff.version === name)).toBe(false);
});

test("a link of the operator resets the owner's password", async ({
  console: page,
  store,
  open,
}) => {
  await goTo(page, `/stores/${store.id}`);
  const again = await open();
  await join(again, await newLink(page), store.email, NEW_PASSWORD);
  await expect(again.locator(".account-name")).toHaveText(store.name);
  await assertNewPassword(store.email);
});

test("a link of the operator resets the clerk's password", async ({
  console: page,
  panel,
  store,
  open,
}) => {
  const clerkMail = uniqueEmail("bia");
  await join(await open(), await addUser(panel, clerkMail), clerkMail);
  await goTo(page, `/stores/${store.id}`);
  const users = page.locator("[aria-labelledby=users]");
  const row = users.locator("tbody tr");
  await expect(row, "the store's own login is not in the list").toHaveCount(1);
  const found = new RegExp(`Bia Balcão\\s+${clerkMail}\\s+Atendente`);
  await expect(row).toHaveText(found, { useInnerText: true });
  await row.getByRole("button", { name: "Novo link de senha: Bia Balcão" }).click();
  await page.locator("dialog[open] button[type=submit]").click();
  await expect(users.getByText("Envie este link a Bia Balcão.")).toBeVisible();
  await dialogClosed(page);
  const again = await open();
  await join(again, await users.locator(".secret code").innerText(), clerkMail, NEW_PASSWORD);
  await expect(again.locator("nav a[href='#/keys']")).toHaveCount(0);
  await assertNewPassword(clerkMail);
});
