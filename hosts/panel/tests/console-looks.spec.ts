// Every page and dialog of the operator's console on desktop and phone, in light and dark: screenshots and the violations that axe finds.
import {
  JOINVILLE,
  PASSWORD,
  orderInJoinville,
  succeeds,
  uniqueCode,
  uniqueEmail,
  type Courier,
  type Store,
} from "./support/api";
import { expect, test } from "./support/fixtures";
import { LOOKS, closingDefects, defects, goTo, signIn } from "./support/page";
import type { Page } from "@playwright/test";

let store: Store;
let rider: Courier;
let order: number;
test.beforeEach(async ({ store: mine, courier }) => {
  store = mine;
  rider = await courier(uniqueCode("Ana"), JOINVILLE);
  ({ id: order } = await store.order(orderInJoinville()));
  await store.orderWith(order, 210);
  const user = {
    name: "Bia Balcão",
    email: uniqueEmail("bia"),
    role: "CLERK",
    currentPassword: PASSWORD,
  };
  await succeeds(store.key, "POST", "/delivery/users", { ...user, storeId: store.id });
});

const pages = () => ({
  map: "/map",
  orders: "/orders",
  order: `/orders/${order}`,
  stores: "/stores",
  store: `/stores/${store.id}`,
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
const dialogs = (): [string, string, string][] => [
  ["reassign", `/orders/${order}`, ".page-aside .button:not(.danger)"],
  ["cancel", `/orders/${order}`, ".page-aside .button.danger"],
  ["disable", `/stores/${store.id}`, ".page-aside .button.danger"],
  ["password-link", `/stores/${store.id}`, "[aria-labelledby=users] .button"],
  ["courier-edit", `/couriers/${rider.id}`, ".page-aside .button:nth-of-type(3)"],
  ["courier-remove", `/couriers/${rider.id}`, ".page-aside .button.danger"],
];

interface Look {
  page: Page;
  device: string;
  check: (name: string) => Promise<unknown>;
  close: (name: string) => Promise<unknown>;
}

/** Runs a test for each device and colour scheme. */
function everywhere(name: string, run: (look: Look) => Promise<void>) {
  for (const { device, colorScheme, ...options } of LOOKS) {
    test(`${name}${device}, ${colorScheme}, ${options.locale}`, async ({ open }) => {
      const page = await open({ ...options, colorScheme });
      const found: string[] = [];
      const check = async (name: string) =>
        found.push(...(await defects(page, `console-${name}`, `${device}-${colorScheme}`)));
      const close = async (name: string) => found.push(...(await closingDefects(page, name)));
      await page.goto("/admin");
      await expect(page.locator("#f-token")).toBeVisible();
      await run({ page, device, check, close });
      expect(found).toEqual([]);
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
  await expect(page.locator("svg.qr path").first()).toBeVisible();
  await check("sign-in-code");
  await goTo(page, "/stores/new");
  await page.click("form button[type=submit]");
  await expect(page.locator(".error-box")).toBeVisible();
  await check("store-rejected");
  for (const [name, route, button] of dialogs()) {
    await goTo(page, route);
    await page.locator(button).first().click();
    await expect(page.locator("dialog[open]")).toBeVisible();
    await check(`dialog-${name}`);
    await close(name);
  }
  if (device === "phone") {
    await goTo(page, "/orders");
    await page.click(".menu-button");
    await check("menu");
  }
});

everywhere("lost delivery: ", async ({ page, check, close }) => {
  const { pickupCode } = await store.orderWith(order, 210);
  await rider.send(`orders/${order}/arrive`);
  await rider.send(`orders/${order}/pickup`, { code: pickupCode });
  await signIn(page);
  await goTo(page, `/orders/${order}`);
  await page.locator(".stops .actions .button").last().click();
  await expect(page.locator("dialog[open]")).toBeVisible();
  await check("dialog-lose");
  await close("lose");
});
