// Every page and dialog on desktop and phone, in light and dark: screenshots and the violations that axe finds.
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
  fillAddress,
  goTo,
  launch,
  logIn,
  open,
  openLoggedIn,
  sendOrder,
  uniqueCode,
  until,
} from "./browser.mjs";

let browser;
/** An order at a door and one that is returned. */
const trips = {};
const riders = [];
before(async () => {
  browser = await launch();
  const { page, context } = await openLoggedIn(browser);
  trips.atDoor = await trip(page, "Florianópolis", "SC", -27.5954, -48.548);
  trips.returned = await trip(page, "Goiânia", "GO", -16.6869, -49.2648);
  const { id, deliveries } = trips.returned;
  const returned = await api(page, "POST", `/delivery/orders/${id}/return`, {
    deliveryId: deliveries[0].id,
    reason: "Cliente desistiu",
  });
  assert.equal(returned.status, 200, JSON.stringify(returned.body));
  await context.close();
});
after(async () => {
  for (const rider of riders) await rider.stop();
  await browser.close();
});

/** Creates an order in a city without other couriers, and a courier who carries it to the door. */
async function trip(page, city, state, latitude, longitude) {
  const at = (street, north) => ({
    street,
    number: "100",
    city,
    state,
    latitude: latitude + north,
    longitude,
  });
  const rider = await courier(uniqueCode("Rita"));
  riders.push(rider);
  await rider.send("position", { latitude, longitude });
  const made = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("PORTA"),
    preparationTime: 0,
    pickupAddress: at("Rua Um", 0),
    deliveries: [{ name: "Ana Lima", onlinePayment: true, address: at("Rua Dois", 0.01) }],
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, pickupCode, deliveries } = made.body;
  await until(
    () => api(page, "GET", `/delivery/orders/${id}`),
    ({ body }) => body.situation === 210,
  );
  await rider.send(`orders/${id}/arrive`);
  await rider.send(`orders/${id}/pickup`, { code: pickupCode });
  for (const step of ["en-route", "at-door"])
    await rider.send(`orders/${id}/${step}`, { deliveryId: deliveries[0].id });
  return made.body;
}

const PAGES = {
  orders: "/orders",
  notifications: "/notifications",
  stores: "/stores",
  "store-new": "/stores/new",
  keys: "/keys",
  balance: "/balance",
  search: "/orders?q=maria",
  reports: "/reports",
  settings: "/settings",
  access: "/access",
};

const userButton = (at) => `[aria-labelledby=users] .actions-cell .button:nth-of-type(${at})`;

/** Dialogs with their name, page and opening button. */
const DIALOGS = (order, hook) => [
  ["delay", `/orders/${order}`, ".page-aside .button:not(.primary):not(.danger)"],
  ["cancel", `/orders/${order}`, ".page-aside .button.danger"],
  ["cancel-stop", `/orders/${order}`, ".stops .actions .button"],
  ["key", "/keys", ".page-aside .button.primary"],
  ["user", "/access", "[aria-labelledby=users] .button.primary"],
  ["user-change", "/access", userButton(1)],
  ["user-link", "/access", userButton(2)],
  ["user-remove", "/access", userButton(3)],
  ["turn-back", `/orders/${trips.atDoor.id}`, ".stops .actions .button:nth-of-type(1)"],
  ["discard", `/orders/${trips.atDoor.id}`, ".stops .actions .button:nth-of-type(2)"],
  ["waive", `/orders/${trips.returned.id}`, ".page-aside .actions .button"],
  ["revoke", "/keys", ".table .actions-cell .button"],
  ["webhook", "/webhooks", ".page-aside .button.primary"],
  ["rotate", `/webhooks/${hook}`, ".page-aside .button:nth-of-type(2)"],
  ["remove-webhook", `/webhooks/${hook}`, ".page-aside .button.danger"],
  ["remove-branch", "/stores", ".table .actions-cell .button"],
];

for (const { device, colorScheme, ...options } of LOOKS) {
  test(`${device}, ${colorScheme}, ${options.locale}`, async () => {
    const { page, pageErrors, context } = await open(browser, { ...options, colorScheme });
    const found = [];
    const check = async (name) => {
      found.push(...(await defects(page, name, `${device}-${colorScheme}`)));
    };
    await page.goto(BASE);
    await page.waitForSelector("#f-email");
    await check("login");
    await page.goto(`${BASE}/#/password/code`);
    await page.waitForSelector("#f-newPassword");
    await check("password");
    await page.goto(BASE);
    await logIn(page);
    const made = await api(page, "POST", "/delivery/orders", order(uniqueCode("FOTO")));
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await goTo(page, `/orders/${made.body.id}`);
    await page.waitForSelector(".map .mark");
    await check("order");
    for (const [name, route] of Object.entries(PAGES)) {
      await goTo(page, route);
      await check(name);
    }
    await goTo(page, "/settings");
    const buttons = page.locator("[data-testid=hours] > .row .button:not(.primary)");
    for (const at of [0, 1]) await buttons.nth(at).click();
    await page.locator("#f-exceptions-0-closed").uncheck();
    await check("settings-hours");
    const scheduled = await api(
      page,
      "POST",
      "/delivery/orders",
      scheduledOrder(uniqueCode("AGENDA")),
    );
    assert.equal(scheduled.status, 201, JSON.stringify(scheduled.body));
    await goTo(page, `/orders/${scheduled.body.id}`);
    await page.waitForSelector(".map .mark");
    await check("order-scheduled");
    await goTo(page, "/orders");
    await page.locator(".orders .due .window").first().waitFor();
    await check("orders-scheduled");
    await api(page, "POST", "/delivery/orders/cancel", { orderId: scheduled.body.id });
    const hook = await api(page, "POST", "/delivery/webhooks", {
      url: `https://${uniqueCode("loja").toLowerCase()}.invalid/despacho`,
      events: ["order.return_waived"],
      currentPassword: PASSWORD,
    });
    await api(page, "POST", `/delivery/webhooks/${hook.body.id}/test`);
    await goTo(page, `/webhooks/${hook.body.id}`);
    await page.waitForSelector(".table .badge");
    await check("webhook");
    await goTo(page, "/webhooks");
    await page.waitForSelector(".table");
    await check("webhooks");
    await goTo(page, "/orders/new");
    await page.fill("#f-code", "1");
    await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
    await page.waitForFunction(() =>
      /R\$/.test(document.querySelector("[data-testid=price]")?.textContent ?? ""),
    );
    await page.evaluate(() => {
      for (const section of document.querySelectorAll(".create-form details")) section.open = true;
    });
    await check("create");
    await page.fill("#f-deliveries-0-phone", "11");
    await sendOrder(page);
    await page.waitForSelector(".error-box");
    await check("create-rejected");
    await goTo(page, "/orders/import");
    await page.waitForSelector("#f-csv");
    await check("import");
    await page.fill(
      "#f-csv",
      `codigo;destinatario;telefone;cep;rua;numero;cidade;uf\n${uniqueCode("L")};Maria Silva;11987654321;01504-000;Rua Vergueiro;1000;São Paulo;SP\n;João;12;;;;;`,
    );
    await page.click("form button[type=submit]");
    await page.waitForSelector(".import-rows .badge.move");
    await page.waitForSelector(".import-rows .badge.bad");
    await check("import-checked");
    await page.locator(".import-summary .button:not(.primary)").click();
    await page.fill("#f-csv", "");
    const user = {
      name: "Bia Balcão",
      email: `${uniqueCode("bia").toLowerCase()}@demo.despacho.example`,
      role: "CLERK",
      currentPassword: PASSWORD,
    };
    assert.equal((await api(page, "POST", "/delivery/users", user)).status, 201);
    for (const [name, route, button] of DIALOGS(made.body.id, hook.body.id)) {
      await goTo(page, route);
      await page.locator(button).first().click();
      await page.waitForSelector("dialog[open]");
      await check(`dialog-${name}`);
      found.push(...(await closingDefects(page, name)));
    }
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open] .keys");
    await check("dialog-help");
    await page.keyboard.press("Escape");
    if (device === "phone") {
      await goTo(page, "/orders");
      await page.click(".menu-button");
      await check("menu");
    }
    assert.deepEqual(found, []);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
}

const order = (code) => ({
  code,
  preparationTime: 20,
  previewDeliveryTime: true,
  deliveries: [
    {
      name: "Maria Silva",
      phone: "+5511990000201",
      onlinePayment: true,
      productValue: 57.9,
      observation: "Portão azul",
      address: VERGUEIRO,
    },
    {
      name: "João Pereira",
      phone: "+5511990000202",
      onlinePayment: false,
      productValue: 120,
      address: {
        street: "Rua Augusta",
        number: "1508",
        city: "São Paulo",
        state: "SP",
        latitude: -23.5578,
        longitude: -46.66,
      },
    },
  ],
});

/** An order for tomorrow at 23:30 with all fields that the form hides at first. Its window ends on the next day, so that its text is long. */
function scheduledOrder(code) {
  const tomorrow = new Date(Date.now() + 21 * 3_600_000).toISOString().slice(0, 10);
  const deliverAt = `${tomorrow}T23:30:00-03:00`;
  const [from, until] = [-1, 1].map((hours) =>
    new Date(Date.parse(deliverAt) + hours * 3_600_000).toISOString(),
  );
  const [delivery] = order(code).deliveries;
  const requirements = {
    vehicle: ["MOTORBIKE_BOX", "CAR"],
    weightGrams: 12_500,
    volumeMillilitres: 40_000,
    packages: 3,
  };
  return {
    code,
    deliverAt,
    requirements,
    pickupInstructions: "Entrada pela doca 3",
    deliveries: [{ ...delivery, window: { from, until } }],
  };
}
