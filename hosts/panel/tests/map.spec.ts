// The map's streets, which the server reads from a PMTiles file.
import { BASE, VERGUEIRO, type Body, type Store } from "./support/api";
import { expect, test } from "./support/fixtures";
import {
  LOOKS,
  axeViolations,
  goTo,
  logIn,
  painted,
  screenshot,
  sendLogin,
  settled,
} from "./support/page";
import type { Locator, Page, Request } from "@playwright/test";

/** Opens the page of a new order in São Paulo. */
async function openOrder(page: Page, store: Store): Promise<void> {
  const { id } = await store.order();
  await goTo(page, `/orders/${id}`);
}

/** Waits for drawn streets, and returns the most frequent colour of the map's pictures. */
async function drawnColours(page: Page) {
  const colours = () => {
    const counts = new Map<string, number>();
    const drawn = ".map .leaflet-tile-pane canvas";
    for (const canvas of document.querySelectorAll<HTMLCanvasElement>(drawn)) {
      const context = canvas.getContext("2d");
      if (context === null) continue;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) {
        const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
        if (data[at + 3] === 255) counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
    }
    const [most] = [...counts].sort((a, b) => b[1] - a[1]);
    return counts.size > 20 ? most[0] : null;
  };
  return (await page.waitForFunction(colours)).jsonValue();
}

for (const [scheme, ground] of [
  ["light", "235,233,227"],
  ["dark", "32,38,42"],
] as const) {
  test(`streets are drawn in the colours of the ${scheme} page, with their attribution`, async ({
    panel: page,
    store,
  }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await openOrder(page, store);
    expect(await drawnColours(page)).toBe(ground);
    await expect(page.locator(".map .leaflet-control-attribution")).toHaveText(
      /© OpenStreetMap contributors/,
      { useInnerText: true },
    );
    expect(await axeViolations(page)).toEqual([]);
    await screenshot(page, `map-${scheme}`);
  });
}

test("colours follow a changed colour scheme", async ({ panel: page, store }) => {
  await openOrder(page, store);
  expect(await drawnColours(page)).toBe("235,233,227");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".map .leaflet-tile-pane canvas");
    const context = canvas?.getContext("2d");
    const row = canvas && context?.getImageData(0, 0, canvas.width, 1).data.join();
    return row?.includes("32,38,42,255") === true;
  });
});

test("streets are requested in ranges and loaded only with a map", async ({
  panel: page,
  store,
}) => {
  const requested: Request[] = [];
  page.on("request", (request) => requested.push(request));
  await store.order({ preparationTime: 60 });
  await expect(page.locator(".table").first()).toBeVisible();
  expect(
    requested.some((one) => /streets|pmtiles/.test(one.url())),
    "the list of orders needs no streets",
  ).toBeFalsy();
  await openOrder(page, store);
  await drawnColours(page);
  const streets = requested.filter((one) => one.url().endsWith(".pmtiles"));
  expect(streets.length, `${streets.length} requests`).toBeGreaterThan(1);
  for (const one of streets) expect(one.headers().range ?? "").toMatch(/^bytes=\d+-\d+$/);
});

test("streets that failed are drawn when the network returns", async ({ panel: page, store }) => {
  // The library logs each tile that it draws without its streets.
  const failed = page.waitForEvent("console", (one) => one.text().includes("Failed to fetch"));
  await page.route("**/*.pmtiles", (route) => route.abort());
  await openOrder(page, store);
  await expect(page.locator(".map.streets").first()).toBeVisible();
  await failed;
  await painted(page);
  await page.unroute("**/*.pmtiles");
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  await drawnColours(page);
});

test("tiles that failed are loaded when the network returns, and others are not loaded again", async ({
  page,
  store,
}) => {
  await page.route("**/panel.json", (route) =>
    route.fulfill({
      json: { tiles: { url: `${BASE}/tiles/{z}/{x}/{y}.png`, attribution: "Teste" }, demo: null },
    }),
  );
  const requested: string[] = [];
  let isLost = true;
  let ended = 0;
  const end = (one: Request) => {
    if (one.url().includes("/tiles/")) ended += 1;
  };
  page.on("requestfinished", end).on("requestfailed", end);
  /** Waits until no tile is being loaded, and what follows from that is painted. */
  const tilesEnded = async () => {
    await painted(page);
    await expect.poll(() => requested.length - ended).toBe(0);
    await painted(page);
  };
  const picture = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await page.route("**/tiles/**", (route) => {
    requested.push(route.request().url());
    return isLost ? route.abort() : route.fulfill({ contentType: "image/png", body: picture });
  });
  await page.goto("/");
  await sendLogin(page, store);
  await expect(page.locator(".side")).toBeVisible();
  await openOrder(page, store);
  await expect.poll(() => requested.length).toBeGreaterThan(0);
  const loaded = page.locator(".map img.leaflet-tile-loaded");
  await tilesEnded();
  isLost = false;
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  // A tile that is still loading would fail when the network is lost again, and be loaded once more.
  await page.waitForFunction(() => {
    const tiles = [...document.querySelectorAll<HTMLImageElement>(".map img.leaflet-tile")];
    return tiles.length > 0 && tiles.every((tile) => tile.naturalWidth > 0);
  });
  await expect(loaded.first()).toBeVisible();
  await tilesEnded();
  const count = requested.length;
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  await tilesEnded();
  // The map may have moved to other tiles.
  expect(requested.slice(count).filter((url) => requested.indexOf(url) < count)).toEqual([]);
  // Tiles of the earlier zoom are removed, which the page's policy must permit.
  const before = requested.length;
  await page.click(".map .leaflet-control-zoom-out");
  await expect.poll(() => requested.length).toBeGreaterThan(before);
  await tilesEnded();
});

/** Returns the place of an element. */
async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error("the element is not visible");
  return box;
}

/** Opens the form of a new order with its coordinates, and the dialog with the pin. */
async function openPin(page: Page): Promise<void> {
  await goTo(page, "/orders/new");
  await page.locator("details.wide summary").first().click();
  await page.locator("details.wide button").first().click();
  await expect(page.locator("dialog .pin-map .leaflet-tile-pane")).toBeAttached();
}

const fields = (page: Page) =>
  page.evaluate(() =>
    ["latitude", "longitude"].map((name) => {
      const field = document.querySelector<HTMLInputElement>(`[id$="-address-${name}"]`);
      return Number(field?.value.replace(",", "."));
    }),
  );

test("a click on the map fills in the coordinates", async ({ panel: page }) => {
  await openPin(page);
  const box = await boxOf(page.locator(".pin-map"));
  const use = page.locator("dialog .button.primary");
  await expect(use).toHaveAttribute("aria-disabled", "true");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await use.click();
  const middle = await fields(page);
  await expect(page.locator("dialog")).toHaveCount(0);
  // The dialog opens at the pin, and a point to the upper right is further north and east.
  await page.locator("details.wide button").first().click();
  await expect(page.locator(".pin-map .mark.pin")).toBeVisible();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.25);
  await use.click();
  const [latitude, longitude] = await fields(page);
  expect(latitude).toBeGreaterThan(middle[0]);
  expect(latitude).toBeLessThan(middle[0] + 0.01);
  expect(longitude).toBeGreaterThan(middle[1]);
  expect(longitude).toBeLessThan(middle[1] + 0.01);
});

test("a search places the pin and states its precision", async ({ panel: page }) => {
  await openPin(page);
  const sent: unknown[] = [];
  const found = { latitude: -23.5578, longitude: -46.66, precision: "number", radiusM: 15 };
  // The test's server has no gazetteer pack, so a street number is found only here.
  await page.route("**/delivery/location", (route) => {
    sent.push(route.request().postDataJSON());
    return sent.length === 1 ? route.fulfill({ json: found }) : route.continue();
  });
  await page.getByLabel("Rua e número").fill("Rua Augusta, 1508");
  await page.getByLabel("Rua e número").press("Enter");
  await expect(page.getByText("O marcador está no número da casa.")).toBeVisible();
  expect(sent[0]).toEqual({
    street: "Rua Augusta, 1508",
    city: "São Paulo",
    state: "SP",
    zipCode: null,
  });
  await expect(page.locator("dialog .pin-at")).toHaveText(
    "Latitude -23,557800, longitude -46,660000",
  );
  await page.getByRole("button", { name: "Buscar" }).click();
  await expect(
    page.getByText(/^Só a cidade foi encontrada \(± \d+ m\)\. Leve o marcador até a porta\.$/),
  ).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Buscar" }).click();
  await expect(page.locator("dialog .error-box")).toBeVisible();
  await expect(page.getByLabel("Rua e número"), "nothing typed is lost").toHaveValue(
    "Rua Augusta, 1508",
  );
  expect(await axeViolations(page)).toEqual([]);
  await page.context().setOffline(false);
  await page.locator("dialog .button.primary").click();
});

test("the pin can be placed with the keyboard", async ({ open, store }) => {
  const page = await open({ locale: "en-US" });
  await logIn(page, store);
  await openPin(page);
  const status = page.locator("dialog .pin-at");
  const at = async () => [...(await status.innerText()).matchAll(/-?[\d.]+\d/g)].map(Number);
  await expect(page.locator(".pin-map")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  const first = await at();
  await page.keyboard.press("ArrowRight");
  const second = await at();
  await page.keyboard.press("Shift+ArrowUp");
  const third = await at();
  expect(second[1] > first[1] && second[0] === first[0], `${first} ${second}`).toBeTruthy();
  expect(
    third[0] > second[0] && third[0] - second[0] < second[1] - first[1],
    `${second} ${third}`,
  ).toBeTruthy();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press("Tab");
  await page.locator("dialog .button.primary").press("Enter");
  expect(await fields(page)).toEqual(third);
});

for (const { device, colorScheme, ...options } of LOOKS) {
  test(`dialog with the pin: ${device}, ${colorScheme}, ${options.locale}`, async ({
    open,
    store,
  }) => {
    const page = await open({ ...options, colorScheme });
    await logIn(page, store);
    await openPin(page);
    await page.locator(".pin-map").click();
    await expect(page.locator(".pin-map .mark.pin")).toBeVisible();
    await settled(page);
    await screenshot(page, `pin-${device}-${colorScheme}`);
    expect(await axeViolations(page)).toEqual([]);
    const overflow = await page
      .locator("dialog")
      .evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}

for (const name of ["panel", "console"] as const) {
  test(`the ${name}'s map draws each leg of the route as the server returns it`, async ({
    panel,
    console,
    store,
  }) => {
    const page = name === "panel" ? panel : console;
    const paulista = {
      ...VERGUEIRO,
      street: "Avenida Paulista",
      latitude: -23.5613,
      longitude: -46.6565,
    };
    const deliveries = [{ address: VERGUEIRO }, { address: paulista }];
    const { id } = await store.order({ preparationTime: 60, deliveries });
    const { body } = await store.api("GET", `/delivery/orders/${id}/route`);
    expect(body.legs.length).toBeGreaterThanOrEqual(2);
    for (const leg of body.legs) expect(leg.path.length).toBeGreaterThanOrEqual(2);
    await goTo(page, `/orders/${id}`);
    // Without the response, the map draws one line through all stops. With road data, the legs follow the roads.
    const sources = () =>
      page.locator(".map path.leg").evaluateAll((legs) => legs.map((leg) => leg.classList[1]));
    await expect.poll(sources).toEqual(body.legs.map((leg: Body) => leg.source));
    await settled(page);
    await screenshot(page, `map-route-${name}`);
  });
}
