// The search over all days: words, days, pages, the browser's history, updates and lost networks.
import { VERGUEIRO, uniqueCode, type Body, type Store } from "./support/api";
import { expect, test } from "./support/fixtures";
import { axeViolations, goTo, isAt, screenshot } from "./support/page";
import type { Page } from "@playwright/test";

let page: Page;
let store: Store;
test.beforeEach(({ panel, store: mine }) => {
  [page, store] = [panel, mine];
});

const field = () => page.locator("input[type=search]");
const results = () => page.locator(".search-day .row-link");

const create = (recipients: [string, string][], code = uniqueCode("BUSCA")): Promise<Body> =>
  store.order({
    code,
    preparationTime: 120,
    pickupAddress: VERGUEIRO,
    deliveries: recipients.map(([name, phone]) => ({
      name,
      phone,
      onlinePayment: true,
      address: VERGUEIRO,
    })),
  });

const cancel = (order: Body) => store.api("POST", "/delivery/orders/cancel", { orderId: order.id });

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
  await expect(page.locator(".orders .row-link", { hasText: order.code })).toBeVisible();
  // The order is not in the list of another day.
  await page.fill("input[type=date]", "2026-01-02");
  await expect(page.locator(".state")).toBeVisible();
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
    await expect(page).toHaveURL(
      (url) => new URLSearchParams(url.hash.split("?")[1]).get("q") === words,
    );
    await expect(results().filter({ hasText: order.code })).toBeVisible();
    await expect(results(), words).toHaveCount(1);
    await expect(page.locator(".search-day h2")).toHaveText(/\d{2}\/\d{2}\/20\d{2}/, {
      useInnerText: true,
    });
  }
  // The row shows the recipient that was found.
  await expect(page.locator(".search-day .to").getByText(name)).toBeVisible();
  // A change of the order appears without a new search.
  await cancel(order);
  await expect(page.locator(".search-day .badge").getByText("Cancelado")).toBeVisible();
  await field().fill("");
  await isAt(page, "#/orders");
  await expect(page.locator(".filters .tabs")).toBeVisible();
});

test("back returns from an order to the results, and from these to the list", async () => {
  const order = await create([[`Maria ${uniqueName()}`, "+5511990000201"]]);
  await goTo(page, "/settings");
  await expect(page.locator("[data-testid=hours]")).toBeVisible();
  // The shortcut opens the list first.
  await page.locator("#title").focus();
  await page.keyboard.press("/");
  await expect(page.locator("input[type=search]")).toBeFocused();
  // Words that are typed slowly make one entry in the browser's history.
  await field().pressSequentially(order.code, { delay: 60 });
  await results().filter({ hasText: order.code }).click();
  await expect(page.locator("#title")).toContainText(order.code);
  await page.goBack();
  await expect(results().filter({ hasText: order.code })).toBeVisible();
  await expect(field()).toHaveValue(order.code);
  await page.goBack();
  await expect(page.locator(".filters .tabs")).toBeVisible();
  await isAt(page, "#/orders");
  await expect(field()).toHaveValue("");
  await page.goForward();
  await expect(results().filter({ hasText: order.code })).toBeVisible();
  await page.reload();
  await expect(results().filter({ hasText: order.code })).toBeVisible();
  await expect(field()).toHaveValue(order.code);
});

test("nothing found is explained, and words without letters are rejected", async () => {
  await goTo(page, "/orders?q=nenhumpedidotemestenome");
  await expect(
    page.locator(".state").getByText("Nenhum pedido encontrado com “nenhumpedidotemestenome”."),
  ).toBeVisible();
  await screenshot(page, "search-empty");
  await field().fill("--");
  await expect(page.locator("#search-error").getByText("Envie de 2 a 60 caracteres")).toBeVisible();
  await expect(field()).toHaveAttribute("aria-invalid", "true");
  await expect(field()).toHaveAttribute("aria-describedby", "search-error");
  await expect(page.locator(".state"), "a rejected search is no empty page").toHaveCount(0);
  expect(await axeViolations(page)).toEqual([]);
  await screenshot(page, "search-rejected");
  await expect(field()).toHaveAttribute("maxlength", "60");
  // One character is no search.
  await field().fill("a");
  await expect(page.locator(".filters .tabs")).toBeVisible();
  await expect(field()).not.toHaveAttribute("aria-invalid");
  await isAt(page, "#/orders");
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
  const shows = (count: number) => expect(results()).toHaveCount(count);
  await shows(2);
  const tabs = page.locator(".filters .tabs button");
  await expect(page.locator(".filters .tabs [aria-pressed=true]")).toHaveText("Todos");
  await tabs.filter({ hasText: "Em aberto" }).click();
  await shows(1);
  await expect(results().getByText(open.code)).toBeVisible();
  await tabs.filter({ hasText: "Encerrados" }).click();
  await expect(results().getByText(closed.code)).toBeVisible();
  await shows(1);
  await tabs.filter({ hasText: "Todos" }).click();
  await shows(2);
  await page.fill("input[type=date]", "2026-01-02");
  await expect(page.locator(".state")).toBeVisible();
  await page.fill("input[type=date]", "");
  await shows(2);
  await field().fill("");
});

test("results come in pages, by day, and resume after a lost network", async ({ context }) => {
  const name = uniqueName();
  const made: Body[] = [];
  for (let at = 0; at < 3; at += 1) made.push(await create([[`Rui ${name}`, "+5511990000201"]]));
  // Pages of two orders; the oldest order is moved to another day, because all orders of a test are new. After its events the panel reads it alone.
  const isSearchOrOldest = (url: URL) =>
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
  await expect(results().nth(1)).toBeVisible();
  await expect(
    page.getByText("2 pedidos exibidos, do mais novo ao mais antigo. Há mais.").last(),
  ).toBeVisible();
  await page.getByRole("button", { name: "Mostrar mais" }).click();
  await expect(results().nth(2)).toBeVisible();
  await expect(results()).toHaveText([...made].reverse().map((one) => one.code));
  await expect(page.locator(".search-day h2")).toHaveCount(2);
  await expect(page.locator(".search-day h2").last()).toHaveText(/02\/01\/2026/, {
    useInnerText: true,
  });
  await screenshot(page, "search");
  await page.unroute(isSearchOrOldest);

  await context.setOffline(true);
  await field().fill(made[1].code);
  await expect(
    page.locator(".state").getByText("Não foi possível conectar ao servidor"),
  ).toBeVisible();
  await context.setOffline(false);
  await expect(results().filter({ hasText: made[1].code })).toBeVisible();
  await expect(results()).toHaveCount(1);
});
