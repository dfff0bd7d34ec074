// The map's streets, which the server reads from a PMTiles file.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BASE,
  LOOKS,
  PASSWORD,
  VERGUEIRO,
  api,
  axeViolations,
  goTo,
  launch,
  open,
  openLoggedIn,
  screenshot,
  uniqueCode,
  until,
} from "./browser.mjs";
import { openConsole } from "./operator.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Opens the page of a new order in São Paulo. */
async function openOrder(options) {
  const opened = await openLoggedIn(browser, options);
  const created = await api(opened.page, "POST", "/delivery/orders", {
    code: uniqueCode("MAP"),
    deliveries: [{ address: VERGUEIRO }],
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  await goTo(opened.page, `/orders/${created.body.id}`);
  return { ...opened, id: created.body.id };
}

/** Waits for drawn streets, and returns the number of different colours of the map's pictures and the most frequent one. */
async function drawnColours(page) {
  const colours = () => {
    const counts = new Map();
    for (const canvas of document.querySelectorAll(".map .leaflet-tile-pane canvas")) {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) {
        const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
        if (data[at + 3] === 255) counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
    }
    const [most] = [...counts].sort((a, b) => b[1] - a[1]);
    return counts.size > 20 ? { count: counts.size, most: most[0] } : null;
  };
  return (await page.waitForFunction(colours)).jsonValue();
}

for (const [scheme, ground] of [
  ["light", "235,233,227"],
  ["dark", "32,38,42"],
]) {
  test(`streets are drawn in the colours of the ${scheme} page, with their attribution`, async () => {
    const { page, pageErrors, context } = await openOrder({ colorScheme: scheme });
    const drawn = await drawnColours(page);
    assert.equal(drawn.most, ground);
    assert.match(
      await page.textContent(".map .leaflet-control-attribution"),
      /© OpenStreetMap contributors/,
    );
    assert.deepEqual(await axeViolations(page), []);
    await screenshot(page, `map-${scheme}`);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
}

test("colours follow a changed colour scheme", async () => {
  const { page, pageErrors, context } = await openOrder({ colorScheme: "light" });
  assert.equal((await drawnColours(page)).most, "235,233,227");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => {
    const canvas = document.querySelector(".map .leaflet-tile-pane canvas");
    return canvas
      ?.getContext("2d")
      .getImageData(0, 0, canvas.width, 1)
      .data.join()
      .includes("32,38,42,255");
  });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("streets are requested in ranges and loaded only with a map", async () => {
  const requested = [];
  const { page, context } = await openLoggedIn(browser);
  page.on("request", (request) => requested.push(request));
  await page.waitForSelector(".table");
  assert.ok(
    !requested.some((one) => /streets|pmtiles/.test(one.url())),
    "the list of orders needs no streets",
  );
  const { body } = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("MAP"),
    deliveries: [{ address: VERGUEIRO }],
  });
  await goTo(page, `/orders/${body.id}`);
  await drawnColours(page);
  const streets = requested.filter((one) => one.url().endsWith(".pmtiles"));
  assert.ok(streets.length > 1, `${streets.length} requests`);
  for (const one of streets) assert.match(one.headers().range ?? "", /^bytes=\d+-\d+$/);
  await context.close();
});

test("streets that failed are drawn when the network returns", async () => {
  const { page, context } = await openLoggedIn(browser);
  let failures = 0;
  await page.route("**/*.pmtiles", (route) => {
    failures += 1;
    return route.abort();
  });
  const { body } = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("MAP"),
    deliveries: [{ address: VERGUEIRO }],
  });
  await goTo(page, `/orders/${body.id}`);
  await page.waitForSelector(".map.streets");
  await until(
    async () => failures,
    (count) => count > 0,
  );
  await page.waitForTimeout(1_000);
  await page.unroute("**/*.pmtiles");
  await context.setOffline(true);
  await context.setOffline(false);
  await drawnColours(page);
  await context.close();
});

test("tiles that failed are loaded when the network returns, and others are not loaded again", async () => {
  const { page, pageErrors, context } = await open(browser);
  await page.route("**/panel.json", (route) =>
    route.fulfill({
      json: { tiles: { url: `${BASE}/tiles/{z}/{x}/{y}.png`, attribution: "Teste" }, demo: null },
    }),
  );
  const requested = [];
  let isLost = true;
  const picture = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await page.route("**/tiles/**", (route) => {
    requested.push(route.request().url());
    return isLost ? route.abort() : route.fulfill({ contentType: "image/png", body: picture });
  });
  await page.goto(BASE);
  await page.fill("#f-email", "matriz@demo.despacho.example");
  await page.fill("#f-password", PASSWORD);
  await page.click("button[type=submit]");
  await page.waitForSelector(".side");
  const { body } = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("MAP"),
    deliveries: [{ address: VERGUEIRO }],
  });
  await goTo(page, `/orders/${body.id}`);
  await until(
    async () => requested.length,
    (count) => count > 0,
  );
  const loaded = page.locator(".map img.leaflet-tile-loaded");
  await page.waitForTimeout(500);
  isLost = false;
  await context.setOffline(true);
  await context.setOffline(false);
  // A tile that is still loading would fail when the network is lost again, and be loaded once more.
  await page.waitForFunction(() => {
    const tiles = [...document.querySelectorAll(".map img.leaflet-tile")];
    return tiles.length > 0 && tiles.every((tile) => tile.naturalWidth > 0);
  });
  await loaded.first().waitFor();
  await page.waitForTimeout(500);
  const count = requested.length;
  await context.setOffline(true);
  await context.setOffline(false);
  await page.waitForTimeout(500);
  // The map may have moved to other tiles.
  assert.deepEqual(
    requested.slice(count).filter((url) => requested.indexOf(url) < count),
    [],
  );
  // Tiles of the earlier zoom are removed, which the page's policy must permit.
  const before = requested.length;
  await page.click(".map .leaflet-control-zoom-out");
  await until(
    async () => requested.length,
    (now) => now > before,
  );
  await page.waitForTimeout(500);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

/** Opens the form of a new order with its coordinates, and the dialog with the pin. */
async function openPin(options) {
  const opened = await openLoggedIn(browser, options);
  const { page } = opened;
  await goTo(page, "/orders/new");
  await page.locator("details.wide summary").first().click();
  await page.locator("details.wide button").first().click();
  await page.locator("dialog .pin-map .leaflet-tile-pane").waitFor({ state: "attached" });
  return opened;
}

const fields = (page) =>
  page.evaluate(() =>
    ["latitude", "longitude"].map((name) =>
      Number(document.querySelector(`[id$="-address-${name}"]`).value.replace(",", ".")),
    ),
  );

test("a click on the map fills in the coordinates", async () => {
  const { page, pageErrors, context } = await openPin();
  const box = await page.locator(".pin-map").boundingBox();
  const use = page.locator("dialog .button.primary");
  assert.equal(await use.getAttribute("aria-disabled"), "true");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await use.click();
  const middle = await fields(page);
  await page.locator("dialog").waitFor({ state: "detached" });
  // The dialog opens at the pin, and a point to the upper right is further north and east.
  await page.locator("details.wide button").first().click();
  await page.locator(".pin-map .mark.pin").waitFor();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.25);
  await use.click();
  const [latitude, longitude] = await fields(page);
  assert.ok(latitude > middle[0] && latitude < middle[0] + 0.01, `${latitude} after ${middle[0]}`);
  assert.ok(
    longitude > middle[1] && longitude < middle[1] + 0.01,
    `${longitude} after ${middle[1]}`,
  );
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test("a search places the pin and states its precision", async () => {
  const { page, pageErrors, context } = await openPin();
  const requested = [];
  const found = { latitude: -23.5578, longitude: -46.66, precision: "number", radiusM: 15 };
  // The test's server has no gazetteer pack, so a street number is found only here.
  await page.route("**/delivery/location", (route) => {
    requested.push(route.request().postDataJSON());
    return requested.length === 1 ? route.fulfill({ json: found }) : route.continue();
  });
  await page.getByLabel("Rua e número").fill("Rua Augusta, 1508");
  await page.getByLabel("Rua e número").press("Enter");
  await page.getByText("O marcador está no número da casa.").waitFor();
  assert.deepEqual(requested[0], {
    street: "Rua Augusta, 1508",
    city: "São Paulo",
    state: "SP",
    zipCode: null,
  });
  assert.equal(
    await page.locator("dialog .pin-at").textContent(),
    "Latitude -23,557800, longitude -46,660000",
  );
  await page.getByRole("button", { name: "Buscar" }).click();
  await page
    .getByText(/^Só a cidade foi encontrada \(± \d+ m\)\. Leve o marcador até a porta\.$/)
    .waitFor();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Buscar" }).click();
  await page.locator("dialog .error-box").waitFor();
  assert.equal(
    await page.getByLabel("Rua e número").inputValue(),
    "Rua Augusta, 1508",
    "nothing typed is lost",
  );
  assert.deepEqual(await axeViolations(page), []);
  await context.setOffline(false);
  await page.locator("dialog .button.primary").click();
  // The map's library logs the tiles that it could not load meanwhile.
  assert.deepEqual(
    pageErrors.filter((one) => !one.startsWith("TypeError: Failed to fetch")),
    [],
  );
  await context.close();
});

test("the pin can be placed with the keyboard", async () => {
  const { page, pageErrors, context } = await openPin({ locale: "en-US" });
  const status = () => page.locator("dialog .pin-at").textContent();
  const at = async () => [...(await status()).matchAll(/-?[\d.]+\d/g)].map(Number);
  assert.equal(
    await page.evaluate(() => document.activeElement.classList.contains("pin-map")),
    true,
  );
  await page.keyboard.press("ArrowRight");
  const first = await at();
  await page.keyboard.press("ArrowRight");
  const second = await at();
  await page.keyboard.press("Shift+ArrowUp");
  const third = await at();
  assert.ok(second[1] > first[1] && second[0] === first[0], `${first} ${second}`);
  assert.ok(
    third[0] > second[0] && third[0] - second[0] < second[1] - first[1],
    `${second} ${third}`,
  );
  assert.deepEqual(await axeViolations(page), []);
  await page.keyboard.press("Tab");
  await page.locator("dialog .button.primary").press("Enter");
  assert.deepEqual(await fields(page), third);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

for (const { device, colorScheme, ...options } of LOOKS) {
  test(`dialog with the pin: ${device}, ${colorScheme}, ${options.locale}`, async () => {
    const { page, context } = await openPin({ ...options, colorScheme });
    await page.locator(".pin-map").click();
    await page.locator(".pin-map .mark.pin").waitFor();
    await page.waitForTimeout(500);
    await screenshot(page, `pin-${device}-${colorScheme}`);
    assert.deepEqual(await axeViolations(page), []);
    assert.ok(
      await page.evaluate(
        () =>
          document.querySelector("dialog").scrollWidth <=
          document.querySelector("dialog").clientWidth,
      ),
    );
    await context.close();
  });
}

for (const [name, openPage] of [
  ["panel", goTo],
  ["console", openInConsole],
]) {
  test(`the ${name}'s map draws each leg of the route as the server returns it`, async () => {
    const opened = await openLoggedIn(browser);
    const paulista = {
      ...VERGUEIRO,
      street: "Avenida Paulista",
      latitude: -23.5613,
      longitude: -46.6565,
    };
    const created = await api(opened.page, "POST", "/delivery/orders", {
      code: uniqueCode("LEG"),
      preparationTime: 60,
      deliveries: [{ address: VERGUEIRO }, { address: paulista }],
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id } = created.body;
    const { body } = await api(opened.page, "GET", `/delivery/orders/${id}/route`);
    assert.ok(
      body.legs.length >= 2 && body.legs.every((leg) => leg.path.length >= 2),
      JSON.stringify(body),
    );
    const {
      page = opened.page,
      pageErrors,
      context,
    } = (await openPage(opened.page, `/orders/${id}`)) ?? opened;
    // Without the response, the map draws one line through all stops. With road data, the legs follow the roads.
    await page.waitForFunction(
      (sources) =>
        [...document.querySelectorAll(".map path.leg")].map((leg) => leg.classList[1]).join() ===
        sources,
      body.legs.map((leg) => leg.source).join(),
    );
    await page.waitForTimeout(500);
    await screenshot(page, `map-route-${name}`);
    assert.deepEqual(pageErrors, []);
    await context.close();
    await opened.context.close();
  });
}

/** Opens a page of the operator's console. */
async function openInConsole(_page, route) {
  const opened = await openConsole(browser);
  await goTo(opened.page, route);
  return opened;
}
