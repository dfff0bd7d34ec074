// Every page and dialog on desktop and phone, in light and dark: screenshots and the violations that axe finds.
import {
  PASSWORD,
  VERGUEIRO,
  sessionOf,
  succeeds,
  uniqueCode,
  uniqueEmail,
  type Body,
  type Courier,
  type Point,
  type Store,
} from "./support/api";
import { expect, test } from "./support/fixtures";
import {
  LOOKS,
  closingDefects,
  defects,
  fillAddress,
  goTo,
  logIn,
  priceShown,
  sendOrder,
} from "./support/page";

/** Creates an order in a city without other couriers, and a courier who carries it to the door. */
async function trip(
  store: Store,
  courier: (name: string, at: Point) => Promise<Courier>,
  city: string,
  state: string,
  { latitude, longitude }: Point,
): Promise<Body> {
  const at = (street: string, north: number) => ({
    street,
    number: "100",
    city,
    state,
    latitude: latitude + north,
    longitude,
  });
  const rider = await courier(uniqueCode("Rita"), { latitude, longitude });
  const made = await store.order({
    code: uniqueCode("PORTA"),
    preparationTime: 0,
    pickupAddress: at("Rua Um", 0),
    deliveries: [{ name: "Ana Lima", onlinePayment: true, address: at("Rua Dois", 0.01) }],
  });
  const { id, pickupCode, deliveries } = made;
  await store.orderWith(id, 210);
  await rider.send(`orders/${id}/arrive`);
  await rider.send(`orders/${id}/pickup`, { code: pickupCode });
  for (const step of ["en-route", "at-door"])
    await rider.send(`orders/${id}/${step}`, { deliveryId: deliveries[0].id });
  return made;
}

const FLORIANOPOLIS = { latitude: -27.5954, longitude: -48.548 };
const GOIANIA = { latitude: -16.6869, longitude: -49.2648 };

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

const userButton = (at: number) =>
  `[aria-labelledby=users] .actions-cell .button:nth-of-type(${at})`;

/** Dialogs with their name, page and opening button. */
const dialogs = (
  order: number,
  hook: string,
  trips: { atDoor: number; returned: number },
): [string, string, string][] => [
  ["delay", `/orders/${order}`, ".page-aside .button:not(.primary):not(.danger)"],
  ["cancel", `/orders/${order}`, ".page-aside .button.danger"],
  ["cancel-stop", `/orders/${order}`, ".stops .actions .button"],
  ["key", "/keys", ".page-aside .button.primary"],
  ["user", "/access", "[aria-labelledby=users] .button.primary"],
  ["user-change", "/access", userButton(1)],
  ["user-link", "/access", userButton(2)],
  ["user-remove", "/access", userButton(3)],
  ["turn-back", `/orders/${trips.atDoor}`, ".stops .actions .button:nth-of-type(1)"],
  ["discard", `/orders/${trips.atDoor}`, ".stops .actions .button:nth-of-type(2)"],
  ["waive", `/orders/${trips.returned}`, ".page-aside .actions .button"],
  ["revoke", "/keys", ".table .actions-cell .button"],
  ["webhook", "/webhooks", ".page-aside .button.primary"],
  ["rotate", `/webhooks/${hook}`, ".page-aside .button:nth-of-type(2)"],
  ["remove-webhook", `/webhooks/${hook}`, ".page-aside .button.danger"],
  ["remove-branch", "/stores", ".table .actions-cell button"],
];

for (const { device, colorScheme, ...options } of LOOKS) {
  test(`${device}, ${colorScheme}, ${options.locale}`, async ({ open, store, courier }) => {
    await store.branch(uniqueCode("Filial"));
    // An order at a door and one that is returned.
    const atDoor = await trip(store, courier, "Florianópolis", "SC", FLORIANOPOLIS);
    const returned = await trip(store, courier, "Goiânia", "GO", GOIANIA);
    const reason = { deliveryId: returned.deliveries[0].id, reason: "Cliente desistiu" };
    await succeeds(store.key, "POST", `/delivery/orders/${returned.id}/return`, reason);
    const page = await open({ ...options, colorScheme });
    const found: string[] = [];
    const check = async (name: string) => {
      found.push(...(await defects(page, name, `${device}-${colorScheme}`)));
    };
    await page.goto("/");
    await expect(page.locator("#f-email")).toBeVisible();
    await check("login");
    await page.goto("/#/password/code");
    await expect(page.locator("#f-newPassword")).toBeVisible();
    await check("password");
    await page.goto("/");
    await logIn(page, store);
    store.key = (await sessionOf(page)).key;
    const made = await store.order(order(uniqueCode("FOTO")));
    await goTo(page, `/orders/${made.id}`);
    await expect(page.locator(".map .mark").first()).toBeVisible();
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
    const scheduled = await store.api(
      "POST",
      "/delivery/orders",
      scheduledOrder(uniqueCode("AGENDA")),
    );
    expect(scheduled.status, JSON.stringify(scheduled.body)).toBe(201);
    await goTo(page, `/orders/${scheduled.body.id}`);
    await expect(page.locator(".map .mark").first()).toBeVisible();
    await check("order-scheduled");
    await goTo(page, "/orders");
    await expect(page.locator(".orders .due .window").first()).toBeVisible();
    await check("orders-scheduled");
    await store.api("POST", "/delivery/orders/cancel", { orderId: scheduled.body.id });
    const hook = await store.api("POST", "/delivery/webhooks", {
      url: `https://${uniqueCode("loja").toLowerCase()}.invalid/despacho`,
      events: ["order.return_waived"],
      currentPassword: PASSWORD,
    });
    await store.api("POST", `/delivery/webhooks/${hook.body.id}/test`);
    await goTo(page, `/webhooks/${hook.body.id}`);
    await expect(page.locator(".table .badge").first()).toBeVisible();
    await check("webhook");
    await goTo(page, "/webhooks");
    await expect(page.locator(".table").first()).toBeVisible();
    await check("webhooks");
    await goTo(page, "/orders/new");
    await page.fill("#f-code", "1");
    await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
    await priceShown(page);
    await page.evaluate(() => {
      const sections = document.querySelectorAll<HTMLDetailsElement>(".create-form details");
      for (const section of sections) section.open = true;
    });
    await check("create");
    await page.fill("#f-deliveries-0-phone", "11");
    await sendOrder(page);
    await expect(page.locator(".error-box")).toBeVisible();
    await check("create-rejected");
    await goTo(page, "/orders/import");
    await expect(page.locator("#f-csv")).toBeVisible();
    await check("import");
    await page.fill(
      "#f-csv",
      `codigo;destinatario;telefone;cep;rua;numero;cidade;uf\n${uniqueCode("L")};Maria Silva;11987654321;01504-000;Rua Vergueiro;1000;São Paulo;SP\n;João;12;;;;;`,
    );
    await page.click("form button[type=submit]");
    await expect(page.locator(".import-rows .badge.move").first()).toBeVisible();
    await expect(page.locator(".import-rows .badge.bad").first()).toBeVisible();
    await check("import-checked");
    await page.locator(".import-summary .button:not(.primary)").click();
    await page.fill("#f-csv", "");
    const user = {
      name: "Bia Balcão",
      email: uniqueEmail("bia"),
      role: "CLERK",
      currentPassword: PASSWORD,
    };
    expect((await store.api("POST", "/delivery/users", user)).status).toBe(201);
    for (const [name, route, button] of dialogs(made.id, hook.body.id, {
      atDoor: atDoor.id,
      returned: returned.id,
    })) {
      await goTo(page, route);
      await page.locator(button).first().click();
      await expect(page.locator("dialog[open]")).toBeVisible();
      await check(`dialog-${name}`);
      found.push(...(await closingDefects(page, name)));
    }
    await page.keyboard.press("?");
    await expect(page.locator("dialog[open] .keys")).toBeVisible();
    await check("dialog-help");
    await page.keyboard.press("Escape");
    if (device === "phone") {
      await goTo(page, "/orders");
      await page.click(".menu-button");
      await check("menu");
    }
    expect(found).toEqual([]);
  });
}

const order = (code: string) => ({
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
function scheduledOrder(code: string) {
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
