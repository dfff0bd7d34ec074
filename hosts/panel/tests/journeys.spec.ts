// The main tasks of a merchant, from logging in to a delivered order, in a browser with a real server.
import { PASSWORD, VERGUEIRO, request, uniqueCnpj, uniqueCode } from "./support/api";
import { expect, test } from "./support/fixtures";
import {
  defectsEverywhere,
  fillAddress,
  goTo,
  hold,
  isAt,
  painted,
  priceShown,
  screenshot,
  sendLogin,
  sendOrder,
} from "./support/page";
import type { Page, Route } from "@playwright/test";

const DELIVERY = "#f-deliveries-0";

async function fillOrder(page: Page, code: string) {
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await fillAddress(page, `${DELIVERY}-address`, VERGUEIRO);
  await page.fill(`${DELIVERY}-name`, "Maria Silva");
  await page.fill(`${DELIVERY}-phone`, "+5511990000201");
}

test("wrong password shows an error in the user's language", async ({ page, store }) => {
  await page.goto("/");
  await sendLogin(page, { ...store, password: "not-the-password" });
  const box = page.locator(".error-box");
  await expect(box).toBeVisible();
  const portuguese = await box.innerText();
  await page.click("button[lang=en]");
  await page.click("button[type=submit]");
  await expect(box).toBeVisible();
  await expect(box).not.toHaveText(portuguese);
  await page.fill("#f-password", store.password);
  await page.click("button[type=submit]");
  await expect(page.locator(".orders tbody tr, .state").first()).toBeVisible();
  await expect(page.locator("#title")).toHaveText("Orders");
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(stored, "API key in localStorage").not.toMatch(/dsp_/);
});

/** Opens the panel, and returns a function that lets the demo's login arrive. */
async function openBeforeDemo(page: Page): Promise<() => void> {
  const release = await hold(page, "**/panel.json");
  await page.goto("/");
  return release;
}

test("demo does not replace what a user has typed", async ({ page }) => {
  const release = await openBeforeDemo(page);
  await page.fill("#f-email", "bia@demo.despacho.example");
  const response = page.waitForResponse("**/panel.json");
  release();
  await (await response).finished();
  await painted(page);
  await expect(page.locator("#f-email")).toHaveValue("bia@demo.despacho.example");
  await expect(page.locator("#f-password")).toHaveValue("");
  await expect(page.getByText("Esta é uma demonstração")).toHaveCount(0);
});

test("typing replaces the demo's login", async ({ page }) => {
  const release = await openBeforeDemo(page);
  await expect(page.locator("#f-email:focus")).toBeVisible();
  release();
  await expect(page.locator("#f-password")).not.toHaveValue("");
  await page.keyboard.type("bia@demo.despacho.example");
  await expect(page.locator("#f-email")).toHaveValue("bia@demo.despacho.example");
  await expect(page.locator("#f-password")).toHaveValue("");
});

test("order is created at the displayed price", async ({ panel: page }) => {
  const code = uniqueCode("NOVO");
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await page.fill(`${DELIVERY}-address-street`, "Rua");
  const price = page.getByTestId("price");
  await priceShown(page);
  const rough = await price.innerText();
  await fillOrder(page, code);
  await expect(price).not.toHaveText(rough);
  await expect(page.locator("[aria-busy=false]").filter({ has: price })).toBeVisible();
  await priceShown(page);
  const shown = await price.innerText();
  await sendOrder(page);
  await expect(page.locator("#title")).toContainText(code);
  await expect(page.locator(".price tfoot td.number")).toHaveText(shown);
  // The map is loaded on demand.
  for (const drawn of [".mark.pickup", ".leg"])
    await expect(page.locator(`.map ${drawn}`).first()).toBeAttached();
});

test("price computed in the page equals the server's price", async ({ panel: page, store }) => {
  // After the compiled core is loaded, the page sends no preview requests.
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith(".wasm")),
    goTo(page, "/orders/new"),
  ]);
  await page.fill(`${DELIVERY}-address-zipCode`, "01304-001");
  await expect(page.locator(`${DELIVERY}-address-city`)).toHaveValue("São Paulo");
  await expect(page.locator(`${DELIVERY}-address-state`)).toHaveValue("SP");
  let requests = 0;
  page.on("request", (sent) => {
    if (sent.url().endsWith("/preview")) requests += 1;
  });
  await fillAddress(page, `${DELIVERY}-address`, VERGUEIRO);
  await expect(page.locator("[data-source=page]").first()).toBeAttached();
  await expect(page.locator("[aria-busy=false]").getByTestId("price")).toBeVisible();
  const shown = await page.getByTestId("price").innerText();
  expect(requests, "the page requested a preview from the server").toBe(0);
  const box = await store.api("POST", "/delivery/orders/preview", {
    preparationTime: 0,
    previewDeliveryTime: true,
    deliveries: [{ address: VERGUEIRO, onlinePayment: true }],
  });
  const money = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
  expect(shown.replace(/\s/g, " ")).toBe(money.format(box.body.deliveryFee).replace(/\s/g, " "));

  // The page reports errors of the compiled core next to the fields.
  await page.fill(`${DELIVERY}-address-latitude`, "95");
  await expect(page.locator(`${DELIVERY}-address-latitude-error`)).toBeVisible();
});

test("order page follows the delivery without a reload", async ({ panel: page, store }) => {
  test.slow();
  await expect(page.locator(".connection.live").first()).toBeVisible();
  // The way to the door is long enough for several positions, also on a busy machine.
  const door = { ...VERGUEIRO, number: "5000", latitude: VERGUEIRO.latitude - 0.04 };
  const made = await store.api("POST", "/delivery/orders", {
    code: uniqueCode("OLHA"),
    previewDeliveryTime: true,
    deliveries: [{ name: "Maria Silva", address: door }],
  });
  expect(made.status).toBe(201);
  await goTo(page, "/orders");
  const row = page.locator(".orders tr", { hasText: made.body.code });
  await expect(row).toBeVisible();
  await goTo(page, `/orders/${made.body.id}`);
  // The page itself records where the courier was.
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      const path = document.querySelector(".map .mark.courier")?.getAttribute("d");
      if (path != null) seen.add(path);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  const positions = () =>
    page.evaluate(() => (globalThis as unknown as { seen: Set<string> }).seen.size);
  const timeout = 240_000;
  await expect
    .poll(positions, { message: "the courier moves on the map", timeout })
    .toBeGreaterThan(1);
  await screenshot(page, "order-moving");
  await expect(page.locator(".heading .badge")).toHaveText("Entregue", { timeout });
  await expect(page.locator(".timeline li").nth(4)).toBeVisible();

  // The delivery time is compared with the promised time, on the order's page and in the list of finished orders.
  await expect(page.locator(".heading").getByText(/entregue .*\d\d:\d\d, no prazo/)).toBeVisible();
  const { body } = await store.api("GET", `/delivery/orders/${made.body.id}`);
  await page.reload();
  await expect(page.locator(".timeline").first()).toBeVisible();
  await goTo(page, "/orders");
  await page.getByRole("button", { name: /Encerrados/ }).click();
  await expect(row.getByText("no prazo")).toBeVisible();
  const delivered = body.events.find(
    (event: { type: string }) => event.type === "delivery.delivered",
  ).createdAt;
  await expect(row.locator(".due time")).toHaveAttribute("datetime", delivered);
});

test("failed webhook message can be resent from the log", async ({ panel: page, receiver }) => {
  // Fails until the test sets another status.
  receiver.status = 500;
  const { url, received } = receiver;
  await goTo(page, "/webhooks");
  await page.getByRole("button", { name: "Novo webhook" }).click();
  await page.fill("#f-url", "ftp://example");
  await page.click("dialog button[type=submit]");
  await expect(page.locator("#f-url-error")).toBeVisible();
  await page.fill("#f-url", url);
  // One rare event type, so that orders of other tests cause no messages.
  await page.locator("dialog label", { hasText: "order.return_waived" }).click();
  await page.click("dialog button[type=submit]");
  // The webhook outlives the session.
  const person = page.locator("dialog").filter({ has: page.locator("#f-currentPassword") });
  await person.locator("input").fill("errada");
  await page.keyboard.press("Enter");
  await expect(person.locator("#f-currentPassword-error")).toBeVisible();
  await person.locator("input").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.locator(".secret code")).toHaveText(/^whsec_/, { useInnerText: true });
  await page.getByRole("link", { name: url }).click();
  await page.getByRole("button", { name: "Enviar um teste" }).click();
  const rows = page.locator(".table tbody tr");
  await expect(rows.filter({ hasText: "HTTP 500" }).first()).toBeVisible();
  receiver.status = 204;
  await rows
    .filter({ hasText: "HTTP 500" })
    .first()
    .getByRole("button", { name: /Reenviar/ })
    .click();
  await expect(rows.filter({ hasText: "HTTP 204" }).first()).toBeVisible();
  expect(received.length).toBeGreaterThanOrEqual(2);
  expect(new Set(received).size, "the same message is sent again").toBe(1);
  await page.getByRole("button", { name: "Remover" }).click();
  await page.locator("dialog .danger").click();
  await isAt(page, "#/webhooks");
});

test("rejected order shows the API errors next to the fields", async ({ panel: page, store }) => {
  await goTo(page, "/orders/new");
  // Until the user types, the form contains the suggested code as soon as the day's orders are loaded.
  await page.fill("#f-code", "x");
  await page.fill("#f-code", "");
  await page.fill(`${DELIVERY}-phone`, "1198");
  await page.fill(`${DELIVERY}-address-zipCode`, "123");
  await sendOrder(page);
  await expect(page.locator("#f-code-error")).toBeVisible();
  const sent = { code: "", deliveries: [{ name: "", phone: "1198", address: { zipCode: "123" } }] };
  const { body } = await store.api("POST", "/delivery/orders", sent, "pt-BR");
  const errors: { pointer: string; detail: string }[] = body.errors;
  for (const { pointer, detail } of errors.filter((one) =>
    /code$|phone$|zipCode$|street$/.test(one.pointer),
  )) {
    const message = page.locator(`#f${pointer.replace(/[^A-Za-z0-9]/g, "-")}-error`);
    await expect(message, pointer).toHaveText(detail);
  }
  await expect(page.locator(`${DELIVERY}-phone`)).toHaveAttribute("aria-invalid", "true");
});

test("failed order creation appears in the notifications", async ({ panel: page, store }) => {
  const code = uniqueCode("ERRO");
  const system = await store.api("POST", "/delivery/keys", {
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
  expect(rejected.status).toBe(422);
  await goTo(page, "/notifications");
  const card = page.locator(".notice-item", { hasText: code });
  await expect(card).toBeVisible();
  await expect(card).toHaveText(/Entrega 1,.*CEP: /, { useInnerText: true });
  await card.getByRole("button", { name: "Marcar como lida" }).click();
  await expect(card).not.toHaveClass(/unread/);
});

test("a store that moves changes its data, and new orders start there", async ({
  panel: page,
  store,
}) => {
  await goTo(page, "/stores");
  await page.getByRole("link", { name: "Alterar" }).click();
  await expect(page.locator("#f-name")).toHaveValue(store.name);
  await expect(page.locator("#f-address-latitude")).not.toHaveValue("");
  // The pin of the old place does not stay with the new one.
  await page.fill("#f-address-street", "Avenida Paulista");
  await page.fill("#f-address-number", "1578");
  await expect(page.locator("#f-address-latitude")).toHaveValue("");
  await page.fill("#f-responsible-phone", "123");
  await page.click("form button[type=submit]");
  await expect(page.locator("#f-responsible-phone-error")).toBeVisible();
  expect(await defectsEverywhere(page, "store-data")).toEqual([]);

  // What was typed survives a reload.
  await page.reload();
  await expect(page.locator("#f-address-street")).toHaveValue("Avenida Paulista");
  await page.fill("#f-responsible-phone", "11 98765-4321");
  await page.fill("#f-name", "Cantina Paulista");
  await page.click("form button[type=submit]");
  await isAt(page, "#/stores");
  await expect(page.locator(".table tr", { hasText: "Cantina Paulista" })).toContainText("1578");
  await expect(page.locator(".account-name")).toHaveText("Cantina Paulista");
  const { body } = await store.api("GET", `/delivery/stores/${store.id}`);
  expect([body.address.street, body.responsible.phone]).toEqual([
    "Avenida Paulista",
    "+5511987654321",
  ]);
  expect((await store.order()).pickupAddress.street).toBe("Avenida Paulista");
});

test("new branch shows its API key", async ({ panel: page }) => {
  await goTo(page, "/stores/new");
  await page.click("form button[type=submit]");
  await expect(page.locator("#f-cnpj-error")).toBeVisible();
  const name = `Filial ${uniqueCode("T")}`;
  await page.fill("#f-name", name);
  await page.fill("#f-cnpj", uniqueCnpj());
  await page.fill("#f-responsible-name", "Equipe");
  await page.fill("#f-responsible-phone", "+5511990000300");
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.fill("#f-email", `${uniqueCode("filial").toLowerCase()}@demo.despacho.example`);
  await page.fill("#f-password", "a long password");
  await page.fill("#f-currentPassword", PASSWORD);
  await page.click("form button[type=submit]");
  const box = page.locator(".secret code");
  await expect(box).toBeVisible();
  await expect(box).toHaveText(/^dsp_/, { useInnerText: true });
  await expect(page.locator(".table td", { hasText: name }).first()).toBeVisible();
});

test("order submitted offline is sent after reconnecting", async ({ panel: page, context }) => {
  const code = uniqueCode("QUEDA");
  await fillOrder(page, code);
  await priceShown(page);
  await context.setOffline(true);
  await expect(page.locator(".banner").first()).toBeVisible();
  await page.fill(`${DELIVERY}-observation`, "Portão azul");
  await sendOrder(page);
  await expect(page.locator(".create-price .notice").first()).toBeVisible();
  await context.setOffline(false);
  await expect(page.locator("#title")).toContainText(code);
  await expect(page.locator(".stops")).toHaveText(/Portão azul/, { useInnerText: true });
  await expect(page.locator(".banner")).toHaveCount(0);

  // A reload keeps the draft.
  await goTo(page, "/orders/new");
  await page.fill("#f-code", "RASCUNHO-1");
  await page.reload();
  await expect(page.locator("#f-code")).toBeVisible();
  await expect(page.locator("#f-code")).toHaveValue("RASCUNHO-1");
});

test("a store's rows are not shown for another store that fails to load", async ({
  panel: page,
  store,
}) => {
  await store.branch(uniqueCode("Filial"));
  await page.reload();
  const fail = (route: Route) =>
    route.fulfill({
      status: 500,
      json: { code: "internal", status: 500, detail: "Falha do teste." },
    });
  await goTo(page, "/keys");
  await expect(page.locator("tbody tr").first()).toBeVisible();
  await page.route("**/delivery/keys?storeId=*", fail);
  await page.locator(".filters select").selectOption({ index: 1 });
  await expect(page.getByText("Falha do teste.")).toBeVisible();
  await expect(page.locator("tbody tr")).toHaveCount(0);
  await page.unroute("**/delivery/keys?storeId=*");
  await page.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(page.locator("tbody tr, .state").first()).toBeVisible();

  await goTo(page, "/balance");
  await expect(page.locator(".amount", { hasText: "R$" })).toBeVisible();
  const other = await page.locator(".filters select option").nth(1).getAttribute("value");
  await page.route(`**/delivery/stores/${other}`, fail);
  await page.locator(".filters select").selectOption(other);
  await expect(page.locator(".amount", { hasText: "—" })).toBeVisible();
});

test("panel can be used with the keyboard only", async ({ page, store }) => {
  await page.goto("/");
  await expect(page.locator("#f-email")).toBeVisible();
  const press = async (key: string) => page.keyboard.press(key);
  await expect(page.locator("#f-password")).not.toHaveValue("");
  // The first field has the focus.
  await press("ControlOrMeta+A");
  await page.keyboard.type(store.email);
  await press("Tab");
  await press("ControlOrMeta+A");
  await page.keyboard.type(store.password);
  await press("Enter");
  await expect(page.locator(".side")).toBeVisible();
  await expect(page.locator(".orders tbody tr, .state").first()).toBeVisible();
  await press("Tab");
  await expect(page.locator(".skip")).toBeFocused();
  await press("Enter");
  await expect(page.locator("#main")).toBeFocused();
  await goTo(page, "/keys");
  // The focus announces the new page.
  await expect(page.locator("#title")).toBeFocused();
  await page.getByRole("button", { name: "Nova chave" }).press("Enter");
  await expect(page.locator("dialog[open]")).toBeVisible();
  await press("Escape");
  await expect(page.locator("dialog[open]")).toHaveCount(0);
});
