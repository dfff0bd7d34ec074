// Every page and dialog of the operator's console on desktop and phone, in light and dark: screenshots and the violations that axe finds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BASE,
  LOOKS,
  PASSWORD,
  VERGUEIRO,
  api,
  closingDefects,
  courier,
  defects,
  goTo,
  launch,
  open,
  openLoggedIn,
  request,
  uniqueCode,
  until,
} from "./browser.mjs";
import { TOKEN, signIn } from "./operator.mjs";

let browser;
let rider;
let order;
before(async () => {
  browser = await launch();
  const merchant = await openLoggedIn(browser);
  rider = await courier(uniqueCode("Ana"));
  await rider.send("position", { latitude: VERGUEIRO.latitude, longitude: VERGUEIRO.longitude });
  const body = {
    code: uniqueCode("FOTO"),
    preparationTime: 0,
    previewDeliveryTime: true,
    pickupAddress: VERGUEIRO,
    deliveries: [{ name: "Maria Silva", onlinePayment: true, address: VERGUEIRO }],
  };
  const made = await api(merchant.page, "POST", "/delivery/orders", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  order = made.body.id;
  await until(
    () => api(merchant.page, "GET", `/delivery/orders/${order}`),
    (found) => found.body.situation === 210,
  );
  const user = {
    name: "Bia Balcão",
    email: `${uniqueCode("bia").toLowerCase()}@demo.despacho.example`,
    role: "CLERK",
    storeId: 1000,
    currentPassword: PASSWORD,
  };
  assert.equal((await api(merchant.page, "POST", "/delivery/users", user)).status, 201);
});
after(async () => {
  await rider.stop();
  await browser.close();
});

const pages = () => ({
  map: "/map",
  orders: "/orders",
  order: `/orders/${order}`,
  stores: "/stores",
  store: "/stores/1000",
  "store-new": "/stores/new",
  couriers: "/couriers",
  courier: `/couriers/${rider.id}`,
  "courier-new": "/couriers/new",
  dispatch: "/dispatch",
  changes: "/changes",
  health: "/health",
  missing: "/none",
});

/** Dialogs with their name, page and opening button. */
const dialogs = () => [
  ["reassign", `/orders/${order}`, ".page-aside .button:not(.danger)"],
  ["cancel", `/orders/${order}`, ".page-aside .button.danger"],
  ["disable", "/stores/1000", ".page-aside .button.danger"],
  ["password-link", "/stores/1000", "[aria-labelledby=users] .button"],
  ["courier-edit", `/couriers/${rider.id}`, ".page-aside .button:nth-of-type(3)"],
  ["courier-remove", `/couriers/${rider.id}`, ".page-aside .button.danger"],
];

/** Runs a test for each device and colour scheme. */
function everywhere(name, run) {
  for (const { device, colorScheme, ...options } of LOOKS) {
    test(`${name}${device}, ${colorScheme}, ${options.locale}`, async () => {
      const { page, pageErrors, context } = await open(browser, { ...options, colorScheme });
      const found = [];
      const check = async (name) =>
        found.push(...(await defects(page, `console-${name}`, `${device}-${colorScheme}`)));
      const close = async (name) => found.push(...(await closingDefects(page, name)));
      await page.goto(`${BASE}/admin`);
      await page.waitForSelector("#f-token");
      await run({ page, device, check, close });
      assert.deepEqual(found, []);
      assert.deepEqual(pageErrors, []);
      await context.close();
    });
  }
}

everywhere("", async ({ page, device, check, close }) => {
  await check("sign-in");
  await signIn(page);
  for (const [name, route] of Object.entries(pages())) {
    await goTo(page, route);
    await check(name);
  }
  await goTo(page, `/couriers/${rider.id}`);
  await page.locator("[data-testid=sign-in] button").click();
  await page.waitForSelector("svg.qr path");
  await check("sign-in-code");
  await goTo(page, "/stores/new");
  await page.click("form button[type=submit]");
  await page.waitForSelector(".error-box");
  await check("store-rejected");
  for (const [name, route, button] of dialogs()) {
    await goTo(page, route);
    await page.locator(button).first().click();
    await page.waitForSelector("dialog[open]");
    await check(`dialog-${name}`);
    await close(name);
  }
  if (device === "phone") {
    await goTo(page, "/orders");
    await page.click(".menu-button");
    await check("menu");
  }
});

test("the courier picks the order up", async () => {
  const { body } = await request(TOKEN, "GET", `/admin/orders/${order}`);
  await rider.send(`orders/${order}/arrive`);
  await rider.send(`orders/${order}/pickup`, { code: body.pickupCode });
});

everywhere("lost delivery: ", async ({ page, check, close }) => {
  await signIn(page);
  await goTo(page, `/orders/${order}`);
  await page.locator(".stops .actions .button").last().click();
  await page.waitForSelector("dialog[open]");
  await check("dialog-lose");
  await close("lose");
});
