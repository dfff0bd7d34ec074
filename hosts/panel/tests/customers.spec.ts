// Customers who order again: by their telephone number, or by repeating an order.
import { VERGUEIRO, createStore, uniqueCode, type Body, type Store } from "./support/api";
import { expect, test } from "./support/fixtures";
import { defectsEverywhere, goTo, isAt, priceShown, screenshot } from "./support/page";

const PHONE = "+5511987650042";
/** The time between two keys of the scripted typing. */
const KEY_MS = 120;

const figures: string[] = [];
test.afterAll(() => {
  for (const figure of figures) console.log(figure);
});

const earlierOrder = (store: Store): Promise<Body> =>
  store.order({
    preparationTime: 120,
    deliveries: [
      {
        name: "Maria Silva",
        phone: PHONE,
        onlinePayment: false,
        productValue: 30,
        payment: { method: "CASH" },
        observation: "Interfone 12",
        address: { ...VERGUEIRO, complement: "ap 12" },
      },
    ],
  });

test("a known customer needs only the telephone number and the value", async ({
  panel: page,
  store,
}) => {
  await earlierOrder(store);
  await goTo(page, "/orders");
  const start = Date.now();
  await page.keyboard.press("n");
  await expect(page.locator("#f-deliveries-0-phone")).toBeFocused();
  await page.keyboard.type("11987650042", { delay: KEY_MS });
  const known = page.getByRole("button", { name: /^Maria Silva/ });
  await expect(known).toContainText(/ap 12.*dinheiro/);
  await page.keyboard.press("Tab");
  await expect(known).toBeFocused();
  await screenshot(page, "known-customer");
  await page.keyboard.press("Enter");
  // Only the value of the goods is new, because it is collected at the door.
  await expect(page.locator("#f-deliveries-0-productValue")).toBeFocused();
  await page.keyboard.type("45", { delay: KEY_MS });
  // The order is created at the price that the user sees.
  await priceShown(page);
  await expect(page.locator(".create-price [aria-busy=false]")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await isAt(page, /^#\/orders\/\d+$/);
  figures.push(
    `a known customer's order: 17 keys, ${((Date.now() - start) / 1000).toFixed(1)} s with ${KEY_MS} ms per key`,
  );
  const id = new URL(page.url()).hash.split("/").at(-1);
  const [made] = (await store.api("GET", `/delivery/orders/${id}`)).body.deliveries;
  expect([made.name, made.phone, made.observation, made.onlinePayment]).toEqual([
    "Maria Silva",
    PHONE,
    "Interfone 12",
    false,
  ]);
  expect([made.payment.method, made.payment.amount]).toEqual(["CASH", 45]);
  expect([made.address.street, made.address.complement]).toEqual([VERGUEIRO.street, "ap 12"]);
});

test("a program that shows the caller opens the form with the number", async ({
  panel: page,
  store,
}) => {
  await earlierOrder(store);
  await goTo(page, "/orders/new?phone=11987650042");
  await expect(page.locator("#f-deliveries-0-phone")).toHaveValue("(11) 98765-0042");
  await isAt(page, "#/orders/new");
  await expect(page.getByRole("button", { name: /^Maria Silva/ })).toBeVisible();
  expect(await defectsEverywhere(page, "caller")).toEqual([]);

  // An order that is being typed is not replaced by the next call.
  await page.fill("#f-deliveries-0-name", "Rita Gomes");
  await goTo(page, "/orders/new?phone=11987650099");
  await isAt(page, "#/orders/new");
  await expect(page.locator("#f-deliveries-0-phone")).toHaveValue("(11) 98765-0042");
});

test("another store does not know the customer", async ({ panel: page }) => {
  const other = await createStore();
  await earlierOrder(other);
  await goTo(page, "/orders/new");
  const [found] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/delivery/orders?q=")),
    page.fill("#f-deliveries-0-phone", "(11) 98765-0042"),
  ]);
  expect((await found.json()).orders).toEqual([]);
  await expect(page.locator(".known button")).toHaveCount(0);
  await other.retire();
});

test("an order is repeated with a code and a price of its own", async ({ panel: page, store }) => {
  const order = await earlierOrder(store);
  await goTo(page, `/orders/${order.id}`);
  await page.getByRole("button", { name: "Repetir" }).click();
  await isAt(page, "#/orders/new");
  await expect(page.locator("#f-deliveries-0-address-complement")).toHaveValue("ap 12");
  await page.fill("#f-code", uniqueCode("DENOVO"));
  await priceShown(page);
  await expect(page.locator(".create-price [aria-busy=false]")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await isAt(page, /^#\/orders\/\d+$/);
  await expect(page.locator(".stops")).toContainText("Maria Silva");

  // An order that is being typed is replaced only after a question.
  await goTo(page, "/orders/new");
  await page.fill("#f-deliveries-0-name", "Rita Gomes");
  await goTo(page, `/orders/${order.id}`);
  await page.getByRole("button", { name: "Repetir" }).click();
  await page.locator("dialog").getByRole("button", { name: "Voltar" }).click();
  await expect(page.locator("dialog")).toHaveCount(0);
  await page.getByRole("button", { name: "Repetir" }).click();
  await page.locator("dialog").getByRole("button", { name: "Repetir" }).click();
  await expect(page.locator("#f-deliveries-0-name")).toHaveValue("Maria Silva");
});
