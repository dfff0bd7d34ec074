// Every page on desktop and phone, light and dark: screenshots for people to look at, and the findings of axe.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BASE, VERGUEIRO, api, fillAddress, fresh, goTo, launch, logIn, open, serious, shot } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const PAGES = {
  orders: "/orders",
  notifications: "/notifications",
  stores: "/stores",
  "store-new": "/stores/new",
  keys: "/keys",
  balance: "/balance",
};
const DEVICES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } };

/** Dialogs by the page that they are on and the button that opens them. */
const DIALOGS = (order, hook) => [
  ["delay", `/orders/${order}`, ".page-aside .button:not(.primary):not(.danger)"],
  ["cancel", `/orders/${order}`, ".page-aside .button.danger"],
  ["cancel-stop", `/orders/${order}`, ".stops .actions .button"],
  ["key", "/keys", ".page-aside .button.primary"],
  ["revoke", "/keys", ".table .acts .button"],
  ["webhook", "/webhooks", ".page-aside .button.primary"],
  ["rotate", `/webhooks/${hook}`, ".page-aside .button:nth-of-type(2)"],
  ["remove-branch", "/stores", ".table .acts .button"],
];

for (const [device, viewport] of Object.entries(DEVICES)) {
  for (const scheme of ["light", "dark"]) {
    test(`${device}, ${scheme}`, async () => {
      // One language each, so that both are seen.
      const locale = scheme === "light" ? "pt-BR" : "en-US";
      const { page, wrongs, context } = await open(browser, { viewport, colorScheme: scheme, locale });
      const found = [];
      const look = async (name) => {
        await page.waitForFunction(() => document.querySelector(".loading") === null);
        await page.waitForTimeout(300);
        await shot(page, `${name}-${device}-${scheme}`);
        found.push(...(await serious(page)).map((one) => `${name}: ${one}`));
        const [title, heads, head] = await page.evaluate(() => {
          const all = [...document.querySelectorAll("h1")];
          return [document.title, all.length, all[0]?.textContent ?? ""];
        });
        if (heads !== 1 || title !== `${head} · Despacho`) found.push(`${name}: ${heads} headings, "${head}" under the title "${title}"`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) found.push(`${name}: scrolls sideways by ${wide} px`);
      };
      await page.goto(BASE);
      await page.waitForSelector("#f-email");
      await look("login");
      await logIn(page);
      const made = await api(page, "POST", "/delivery/orders", order(fresh("FOTO")));
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await goTo(page, `/orders/${made.body.id}`);
      await page.waitForSelector(".map .mark");
      await look("order");
      for (const [name, where] of Object.entries(PAGES)) {
        await goTo(page, where);
        await page.waitForTimeout(400);
        await look(name);
      }
      const hook = await api(page, "POST", "/delivery/webhooks", { url: `https://${fresh("loja").toLowerCase()}.invalid/despacho`, events: ["order.return_waived"] });
      await api(page, "POST", `/delivery/webhooks/${hook.body.id}/test`);
      await goTo(page, `/webhooks/${hook.body.id}`);
      await page.waitForSelector(".table .badge");
      await look("webhook");
      await goTo(page, "/webhooks");
      await page.waitForSelector(".table");
      await look("webhooks");
      await goTo(page, "/orders/new");
      await page.waitForTimeout(500);
      await page.fill("#f-code", "1");
      await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
      await page.waitForFunction(() => /R\$/.test(document.querySelector("[data-testid=price]")?.textContent ?? ""));
      await look("create");
      await page.fill("#f-deliveries-0-phone", "11");
      await page.click("form.create button[type=submit]");
      await page.waitForSelector(".error-box");
      await look("create-rejected");
      // One confirmation dialog of each kind.
      for (const [name, where, opens] of DIALOGS(made.body.id, hook.body.id)) {
        await goTo(page, where);
        await page.locator(opens).first().click();
        await page.waitForSelector("dialog[open]");
        await look(`dialog-${name}`);
        const inside = await page.evaluate(() => document.querySelector("dialog[open]").contains(document.activeElement));
        if (!inside) found.push(`dialog-${name}: the focus is outside`);
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog[open]", { state: "detached" });
        const back = await page.evaluate(() => document.activeElement?.tagName);
        if (back !== "BUTTON") found.push(`dialog-${name}: the focus went to ${back}`);
      }
      if (device === "phone") {
        await goTo(page, "/orders");
        await page.click(".menu-button");
        await look("menu");
      }
      assert.deepEqual(found, []);
      assert.deepEqual(wrongs, []);
      await context.close();
    });
  }
}

const order = (code) => ({
  code,
  preparationTime: 20,
  previewDeliveryTime: true,
  deliveries: [
    { name: "Maria Silva", phone: "+5511990000201", onlinePayment: true, productValue: 57.9, observation: "Portão azul", address: VERGUEIRO },
    {
      name: "João Pereira", phone: "+5511990000202", onlinePayment: false, productValue: 120, address:
        { street: "Rua Augusta", number: "1508", city: "São Paulo", state: "SP", latitude: -23.5578, longitude: -46.66 },
    },
  ],
});
