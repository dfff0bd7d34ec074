// The work at a counter: lateness, typing aids, shortcuts, attention, printing and import. The tests share one login.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, goTo, launch, logIn, open, screenshot, uniqueCode } from "./browser.mjs";

let browser;
let page;
let context;
let pageErrors;
before(async () => {
  browser = await launch();
  ({ page, context, pageErrors } = await open(browser));
  // The tests advance the browser's clock; it runs until then.
  await page.clock.install();
  await logIn(page);
  await page.waitForSelector(".connection.live");
});
after(() => browser.close());

/** Porto Alegre, where no other test has couriers. */
const PICKUP = { street: "Rua dos Andradas", number: "100", city: "Porto Alegre", state: "RS", latitude: -30.0297, longitude: -51.2336 };
const DOOR = { street: "Rua da República", number: "100", city: "Porto Alegre", state: "RS", latitude: -30.0386, longitude: -51.2205 };

async function create(order = {}) {
  const deliveries = [{ name: "Maria Silva", phone: "+5511990000201", onlinePayment: true, address: DOOR }];
  const made = await api(page, "POST", "/delivery/orders", { code: uniqueCode("BALCAO"), previewDeliveryTime: true, pickupAddress: PICKUP, deliveries, ...order });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

const row = (code) => page.locator(".orders tbody tr", { hasText: code });

test("late orders come first, without a request", async () => {
  const later = await create({ preparationTime: 120 });
  const sooner = await create({ preparationTime: 60 });
  await goTo(page, "/orders");
  for (const { code } of [later, sooner]) await row(code).waitFor();
  const codes = () => page.locator(".orders .row-link").allInnerTexts();
  const order = await codes();
  assert.ok(order.indexOf(sooner.code) < order.indexOf(later.code), order.join(" "));
  assert.equal(await row(sooner.code).locator(".late").count(), 0);

  const passed = Date.parse(sooner.expectedDelivery) - (await page.evaluate(() => Date.now())) + 12.5 * 60_000;
  await context.setOffline(true);
  await page.clock.fastForward(passed);
  await row(sooner.code).getByText("atrasado 12 min").waitFor();
  assert.equal(await row(later.code).locator(".late").count(), 0);
  await screenshot(page, "orders-late");
  await context.setOffline(false);

  await goTo(page, `/orders/${sooner.id}`);
  await page.locator(".heading").getByText(/prometido \d\d:\d\d.*atrasado 1[23] min/).waitFor();
  await goTo(page, `/orders/${later.id}`);
  await page.locator(".heading").getByText(/prometido \d\d:\d\d, em \d+ min/).waitFor();
  for (const { id } of [later, sooner]) await api(page, "POST", "/delivery/orders/cancel", { orderId: id });
});

test("pages have no errors", () => {
  assert.deepEqual(pageErrors, []);
});
