// The search over all days: words, days, pages, the browser's history, updates and lost networks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  VERGUEIRO,
  api,
  axeViolations,
  goTo,
  launch,
  openLoggedIn,
  screenshot,
  uniqueCode,
} from "./browser.mjs";

let browser;
let page;
let context;
let pageErrors;
before(async () => {
  browser = await launch();
  ({ page, context, pageErrors } = await openLoggedIn(browser));
});
after(() => browser.close());

const field = () => page.locator("input[type=search]");
const results = () => page.locator(".search-day .row-link");
const hash = () => page.evaluate(() => location.hash);

async function create(recipients, code = uniqueCode("BUSCA")) {
  const deliveries = recipients.map(([name, phone]) => ({
    name,
    phone,
    onlinePayment: true,
    address: VERGUEIRO,
  }));
  const made = await api(page, "POST", "/delivery/orders", {
    code,
    preparationTime: 120,
    pickupAddress: VERGUEIRO,
    deliveries,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

const cancel = (order) => api(page, "POST", "/delivery/orders/cancel", { orderId: order.id });

/** A word that occurs in no other order. */
const uniqueName = () =>
  [...uniqueCode("")]
    .filter((one) => /[A-Z0-9]/.test(one))
    .join("")
    .toLowerCase();

test("search finds orders of all days by code, number, name and phone", async () => {
  const name = uniqueName();
  const phone = `+551197${String(Date.now()).slice(-7)}`;
  const order = await create([
    ["Ana", "+5511990000201"],
    [`João ${name}`, phone],
  ]);
  await goTo(page, "/orders");
  await page.locator(".orders .row-link", { hasText: order.code }).waitFor();
  // The order is not in the list of another day.
  await page.fill("input[type=date]", "2026-01-02");
  await page.locator(".state").waitFor();
  for (const words of [
    order.code,
    order.code.toLowerCase(),
    String(order.id),
    `JOAO ${name.slice(0, 8)}`,
    phone.slice(3),
  ]) {
    await page.keyboard.press("Escape");
    await page.locator("#title").focus();
    await page.keyboard.press("/");
    await field().fill(words);
    await page.waitForFunction(
      (expected) => new URLSearchParams(location.hash.split("?")[1]).get("q") === expected,
      words,
    );
    await results().filter({ hasText: order.code }).waitFor();
    assert.equal(await results().count(), 1, words);
    assert.match(await page.locator(".search-day h2").innerText(), /\d{2}\/\d{2}\/20\d{2}/);
  }
  // The row shows the recipient that was found.
  await page.locator(".search-day .to").getByText(name).waitFor();
  // A change of the order appears without a new search.
  await cancel(order);
  await page.locator(".search-day .badge").getByText("Cancelado").waitFor();
  await field().fill("");
  await page.waitForFunction(() => location.hash === "#/orders");
  await page.locator(".tabs").waitFor();
});

test("back returns from an order to the results, and from these to the list", async () => {
  const order = await create([[`Maria ${uniqueName()}`, "+5511990000201"]]);
  await goTo(page, "/settings");
  await page.locator("[data-testid=hours]").waitFor();
  // The shortcut opens the list first.
  await page.locator("#title").focus();
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement?.type === "search");
  // Words that are typed slowly make one entry in the browser's history.
  await field().pressSequentially(order.code, { delay: 60 });
  await results().filter({ hasText: order.code }).click();
  await page.waitForFunction(
    (expected) => document.querySelector("#title").textContent.includes(expected),
    order.code,
  );
  await page.goBack();
  await results().filter({ hasText: order.code }).waitFor();
  assert.equal(await field().inputValue(), order.code);
  await page.goBack();
  await page.locator(".tabs").waitFor();
  assert.deepEqual([await hash(), await field().inputValue()], ["#/orders", ""]);
  await page.goForward();
  await results().filter({ hasText: order.code }).waitFor();
  await page.reload();
  await results().filter({ hasText: order.code }).waitFor();
  assert.equal(await field().inputValue(), order.code);
  await cancel(order);
});

test("nothing found is explained, and words without letters are rejected", async () => {
  await goTo(page, "/orders?q=nenhumpedidotemestenome");
  await page
    .locator(".state")
    .getByText("Nenhum pedido encontrado com “nenhumpedidotemestenome”.")
    .waitFor();
  await screenshot(page, "search-empty");
  await field().fill("--");
  await page.locator("#search-error").getByText("Envie de 2 a 60 caracteres").waitFor();
  assert.deepEqual(
    [await field().getAttribute("aria-invalid"), await field().getAttribute("aria-describedby")],
    ["true", "search-error"],
  );
  assert.equal(await page.locator(".state").count(), 0, "a rejected search is no empty page");
  assert.deepEqual(await axeViolations(page), []);
  await screenshot(page, "search-rejected");
  assert.equal(await field().getAttribute("maxlength"), "60");
  // One character is no search.
  await field().fill("a");
  await page.locator(".tabs").waitFor();
  assert.equal(await field().getAttribute("aria-invalid"), null);
  assert.equal(await hash(), "#/orders");
});

test("filters stay while the user searches", async () => {
  const name = uniqueName();
  const [open, closed] = [
    await create([[`Rosa ${name}`, "+5511990000203"]]),
    await create([[`Rita ${name}`, "+5511990000204"]]),
  ];
  await cancel(closed);
  await goTo(page, "/orders");
  await field().fill(name);
  const shows = (count) =>
    page.waitForFunction(
      (expected) => document.querySelectorAll(".search-day .row-link").length === expected,
      count,
    );
  await shows(2);
  const tabs = page.locator(".tabs button");
  assert.equal(await page.locator(".tabs [aria-pressed=true]").innerText(), "Todos");
  await tabs.filter({ hasText: "Em aberto" }).click();
  await shows(1);
  await results().getByText(open.code).waitFor();
  await tabs.filter({ hasText: "Encerrados" }).click();
  await results().getByText(closed.code).waitFor();
  await shows(1);
  await tabs.filter({ hasText: "Todos" }).click();
  await shows(2);
  await page.fill("input[type=date]", "2026-01-02");
  await page.locator(".state").waitFor();
  await page.fill("input[type=date]", "");
  await shows(2);
  await field().fill("");
  await cancel(open);
});

test("results come in pages, by day, and resume after a lost network", async () => {
  const name = uniqueName();
  const made = [];
  for (let at = 0; at < 3; at += 1) made.push(await create([[`Rui ${name}`, "+5511990000201"]]));
  // Pages of two orders; the oldest order is moved to another day, because all orders of a test are new. After its events the panel reads it alone.
  const isSearchOrOldest = (url) =>
    url.pathname.endsWith(made[0].id) ||
    (url.pathname.endsWith("/delivery/orders") && url.searchParams.has("q"));
  await page.route(isSearchOrOldest, async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "2");
    const response = await route.fetch(url.searchParams.has("q") ? { url: String(url) } : {});
    const body = await response.json();
    for (const one of body.orders ?? [body])
      if (one.id === made[0].id) one.createdAt = "2026-01-02T15:00:00Z";
    await route.fulfill({ response, json: body });
  });
  await goTo(page, `/orders?q=${name}`);
  await results().nth(1).waitFor();
  await page
    .getByText("2 pedidos exibidos, do mais novo ao mais antigo. Há mais.")
    .last()
    .waitFor();
  await page.getByRole("button", { name: "Mostrar mais" }).click();
  await results().nth(2).waitFor();
  assert.deepEqual(
    await results().allInnerTexts(),
    [...made].reverse().map((one) => one.code),
  );
  assert.deepEqual((await page.locator(".search-day h2").allInnerTexts()).length, 2);
  assert.match(await page.locator(".search-day h2").last().innerText(), /02\/01\/2026/);
  await screenshot(page, "search");
  await page.unroute(isSearchOrOldest);

  await context.setOffline(true);
  await field().fill(made[1].code);
  await page.locator(".state").getByText("Não foi possível conectar ao servidor").waitFor();
  await context.setOffline(false);
  await results().filter({ hasText: made[1].code }).waitFor();
  assert.equal(await results().count(), 1);
  for (const one of made) await cancel(one);
});

test("pages have no errors", () => {
  assert.deepEqual(pageErrors, []);
});
