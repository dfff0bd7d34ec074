// The courier's app: sign-in, a whole trip, lost networks, rejected steps, reloads, the keyboard, targets and looks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runnerImport } from "vite";
import {
  BASE,
  axeViolations,
  courier,
  launch,
  open,
  request,
  screenshot,
  settled,
} from "./browser.mjs";
import {
  PHONE,
  TRIP,
  allocated,
  cutNetwork,
  merchant,
  nextIs,
  openApp,
  orderFor,
  photo,
  queueEmpty,
  result,
  returnCode,
  stepTaken,
  takeStep,
} from "./courier-app.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const place = (street, latitude, longitude) => ({ street, number: "100", latitude, longitude });
/** Each test has a city without other couriers. */
const CURITIBA = orderFor(
  { city: "Curitiba", state: "PR" },
  place("Rua XV de Novembro", -25.4297, -49.2711),
  [place("Rua Marechal Deodoro", -25.4311, -49.2655), place("Avenida Batel", -25.4417, -49.2871)],
);
const MANAUS = orderFor(
  { city: "Manaus", state: "AM" },
  place("Avenida Sete de Setembro", -3.1349, -60.0234),
  [
    place("Rua Ramos Ferreira", -3.1268, -60.0213),
    place("Avenida Djalma Batista", -3.1012, -60.0257),
  ],
);
const RECIFE = orderFor(
  { city: "Recife", state: "PE" },
  place("Rua da Aurora", -8.0587, -34.8806),
  [
    place("Rua do Hospício", -8.0602, -34.8842),
    place("Avenida Conde da Boa Vista", -8.0601, -34.8905),
  ],
);
const BELEM = orderFor({ city: "Belém", state: "PA" }, place("Avenida Nazaré", -1.4521, -48.4834), [
  place("Rua dos Mundurucus", -1.4602, -48.4841),
  place("Travessa Padre Eutíquio", -1.4587, -48.4921),
]);
const NATAL = orderFor(
  { city: "Natal", state: "RN" },
  place("Avenida Rio Branco", -5.7861, -35.2081),
  [
    place("Rua João Pessoa", -5.7867, -35.2095),
    place("Avenida Prudente de Morais", -5.8012, -35.2099),
  ],
);
const SALVADOR = orderFor(
  { city: "Salvador", state: "BA" },
  place("Avenida Sete de Setembro", -12.9822, -38.5155),
  [place("Rua Chile", -12.9741, -38.5131), place("Rua Carlos Gomes", -12.9799, -38.5148)],
);
const MACEIO = orderFor(
  { city: "Maceió", state: "AL" },
  place("Rua do Comércio", -9.6658, -35.7353),
  [place("Rua Barão de Penedo", -9.6649, -35.7369), place("Avenida da Paz", -9.6712, -35.7371)],
);
const JOINVILLE = orderFor(
  { city: "Joinville", state: "SC" },
  place("Rua do Príncipe", -26.3045, -48.8487),
  [place("Rua Nove de Março", -26.3031, -48.8479), place("Rua Dona Francisca", -26.2961, -48.8451)],
);
const VITORIA = orderFor(
  { city: "Vitória", state: "ES" },
  place("Avenida Jerônimo Monteiro", -20.3194, -40.3378),
  [
    place("Rua Sete de Setembro", -20.3189, -40.3361),
    place("Rua General Osório", -20.3201, -40.3389),
  ],
);

const testId = (page, id) => page.locator(`[data-testid="${id}"]`);
let online = null;

/** Everything that scripts of the page can read: the URL, all storage and the cookies. */
const readable = (page) =>
  page.evaluate(async () => {
    const stored = [
      location.href,
      document.referrer,
      document.cookie,
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
    ];
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise(
        (resolve) => (indexedDB.open(name).onsuccess = (event) => resolve(event.target.result)),
      );
      for (const store of database.objectStoreNames) {
        stored.push(
          await new Promise(
            (resolve) =>
              (database.transaction(store).objectStore(store).getAll().onsuccess = (event) =>
                resolve(JSON.stringify(event.target.result))),
          ),
        );
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      for (const request of await (await caches.open(name)).keys()) stored.push(request.url);
    }
    return stored.join("\n");
  });

test("sign-in link leaves no secret that scripts can read", async () => {
  const { page, context, rider, pageErrors, close } = await openApp(
    browser,
    "Rita Segredo",
    RECIFE[0],
  );
  assert.equal(page.url(), `${BASE}/courier`);
  const found = await readable(page);
  assert.match(found, /Rita Segredo/, "the stored data is read");
  assert.doesNotMatch(found, /in_\d|ses_|dsp_/);
  const [cookie] = await context.cookies(`${BASE}/courier/me`);
  assert.deepEqual(
    [cookie.name, cookie.httpOnly, cookie.sameSite, cookie.path],
    ["despacho-courier", true, "Strict", "/courier"],
  );
  await page.goBack();
  assert.doesNotMatch(page.url(), /in_/, "the link is not in the history");
  await page.goto(`${BASE}/courier`);
  await testId(page, "duty").waitFor();

  // Availability.
  await testId(page, "duty").click();
  await page.getByText("Você está indisponível").first().waitFor();
  assert.equal((await request(rider.key, "GET", "/courier/me")).body.available, false);
  await testId(page, "duty").click();
  await page.getByText("Aguardando uma viagem").waitFor();

  // After signing out, the phone has neither the session nor the data.
  await testId(page, "settings").click();
  await testId(page, "sign-out").click();
  await testId(page, "sign-in").waitFor();
  assert.doesNotMatch(await readable(page), /Rita/);
  assert.deepEqual(
    (await context.cookies()).filter((one) => one.name === "despacho-courier"),
    [],
  );
  await page.reload();
  await testId(page, "sign-in").waitFor();

  // A pasted link signs in too; a used one shows the reason.
  const link = await rider.link();
  await page.fill("#code", "abc");
  await testId(page, "sign-in").click();
  await page.getByText("Este não é um link de acesso.").first().waitFor();
  await page.fill("#code", link);
  await testId(page, "sign-in").click();
  await testId(page, "duty").waitFor();
  const other = await open(browser);
  await other.page.goto(link);
  await other.page
    .getByText(/link de acesso é inválido/)
    .first()
    .waitFor();
  await other.context.close();
  assert.deepEqual(pageErrors, []);
  await close();
});

test("step of an ended session is sent after the next sign-in", async () => {
  const { page, context, rider, close } = await openApp(browser, "Rita Volta", JOINVILLE[0]);
  const order = await allocated(...JOINVILLE);
  await nextIs(page, "Cheguei à coleta");
  await context.setOffline(true);
  await takeStep(page, "arrive", order);
  await stepTaken(page, 0);
  const takenAt = Date.now();
  await rider.alter({ newKey: true });
  await page.waitForTimeout(1_500);
  await context.setOffline(false);
  await page.getByText("Uma etapa ainda não foi enviada.").waitFor();
  await page.goto(await rider.link());
  await stepTaken(page, 0);
  await queueEmpty(page);
  const { body } = await merchant("GET", `/delivery/orders/${order.id}`);
  const event = body.events.find((one) => one.type === "order.courier_arrived");
  assert.equal(body.situation, 220);
  assert.ok(
    Math.abs(Date.parse(event.createdAt) - takenAt) < 1_000,
    `${event.createdAt} is not the time of the step`,
  );
  assert.ok(
    Date.parse(event.receivedAt) - takenAt > 1_000,
    `${event.receivedAt} is not the time of the arrival`,
  );
  await close();
});

test("whole trip online", async () => {
  const { page, pageErrors, close } = await openApp(browser, "Rita Online", CURITIBA[0]);
  const order = await allocated(...CURITIBA);
  await nextIs(page, "Cheguei à coleta");
  // The pickup names the store, and every link to a navigation app works on every phone.
  const { body: store } = await merchant("GET", `/delivery/stores/${order.storeId}`);
  assert.equal(await testId(page, "store").innerText(), store.name);
  assert.equal(
    await page.getByRole("link", { name: "Ligar para a loja" }).getAttribute("href"),
    `tel:${store.responsible.phone}`,
  );
  await testId(page, "navigate").click();
  const links = await page.locator("dialog a").evaluateAll((all) => all.map((one) => one.href));
  assert.equal(links.length, 3);
  for (const link of links) assert.match(link, /^https:.*-25\.4297,-49\.2711$/);
  await page.keyboard.press("Escape");
  for (const [at, kind] of TRIP.entries()) {
    if (kind === "pickup") {
      // An error ends with its correction. Digits come first; a code with letters has another keypad.
      await testId(page, "next").click();
      assert.equal(await page.locator("#step-code").getAttribute("inputmode"), "numeric");
      await testId(page, "submit").click();
      await page.locator("#step-code-error").waitFor();
      await page.fill("#step-code", "1");
      await page.locator("#step-code-error").waitFor({ state: "detached" });
      assert.equal(await page.locator("[aria-invalid=true]").count(), 0);
      await page.getByRole("button", { name: "O código tem letras" }).click();
      assert.equal(await page.locator("#step-code").getAttribute("inputmode"), "text");
      await page.keyboard.press("Escape");
    }
    if (kind === "at-return") {
      const things = (await testId(page, "bring-back").locator("li").allInnerTexts()).map((one) =>
        one.replaceAll("\u00A0", " "),
      );
      assert.deepEqual(things, ["Pagamento de R$ 89,90: Ana Lima", "Mercadoria: Bruno Reis"]);
    }
    await takeStep(page, kind, order);
    await stepTaken(page, at);
    await queueEmpty(page);
  }
  online = await result(order.id);
  assert.equal(online.situation, 510);
  assert.deepEqual(online.deliveries, [500, 540]);
  assert.deepEqual(pageErrors, []);
  await close();
});

test("network cut at every step loses and repeats nothing", async () => {
  const { page, context, pageErrors, close } = await openApp(browser, "Rita Túnel", MANAUS[0]);
  const order = await allocated(...MANAUS);
  await nextIs(page, "Cheguei à coleta");
  for (const [at, kind] of TRIP.entries()) {
    if (kind === "hand-back") await returnCode(order.id);
    await context.setOffline(true);
    await takeStep(page, kind, order);
    await stepTaken(page, at);
    if (at === 4) {
      // The app also opens without a network, from the service worker's files and the stored trip.
      await page.reload();
      await stepTaken(page, at);
      assert.equal(await page.getAttribute("[data-testid=queue]", "data-waiting"), "1");
    }
    await context.setOffline(false);
    await queueEmpty(page);
  }
  assert.deepEqual(await result(order.id), online);
  assert.deepEqual(pageErrors, []);
  await close();
});

test("trip taken offline is sent in order after reconnecting", async () => {
  const { page, close } = await openApp(browser, "Rita Longe", RECIFE[0]);
  const order = await allocated(...RECIFE);
  await nextIs(page, "Cheguei à coleta");
  const picture = await photo(page);
  const reconnect = await cutNetwork(page);
  for (const [at, kind] of TRIP.slice(0, 9).entries()) {
    await takeStep(page, kind, order, kind === "pickup" ? picture : undefined);
    await stepTaken(page, at);
  }
  await testId(page, "offline").waitFor();
  await page.reload();
  await stepTaken(page, 8);
  assert.equal(await page.getAttribute("[data-testid=queue]", "data-waiting"), "9");
  const before = await result(order.id);
  assert.equal(before.situation, 210);
  await reconnect();
  await queueEmpty(page);
  await takeStep(page, "hand-back", order);
  await stepTaken(page, 9);
  await queueEmpty(page);
  assert.deepEqual(await result(order.id), online);
  const { body } = await merchant("GET", `/delivery/orders/${order.id}`);
  assert.deepEqual(
    body.proofs.map((proof) => [proof.step, proof.photos.length]),
    [["PICKUP", 1]],
  );
  await close();
});

test("rejected step shows the reason and drops the steps behind it", async () => {
  const { page, context, close } = await openApp(browser, "Rita Engano", BELEM[0]);
  const order = await allocated(...BELEM);
  await nextIs(page, "Cheguei à coleta");
  await context.setOffline(true);
  await takeStep(page, "arrive", order);
  await takeStep(page, "pickup", { ...order, pickupCode: "ERRADO" });
  await takeStep(page, "en-route", order);
  await nextIs(page, /^Cheguei$/);
  await context.setOffline(false);
  const failed = testId(page, "failed");
  await failed.waitFor();
  assert.match(
    await failed.locator("[data-state=rejected]").innerText(),
    /“Pedido coletado” \(Coleta\).*Código incorreto/s,
  );
  assert.match(
    await failed.locator("[data-state=dropped]").innerText(),
    /“Sair para a entrega” \(Ana Lima\)/,
  );
  await nextIs(page, "Pedido coletado");
  assert.equal((await result(order.id)).situation, 220);
  // The message stays until the courier has read it.
  await page.reload();
  await failed.waitFor();
  await testId(page, "dismiss").click();
  await failed.waitFor({ state: "detached" });
  await page.reload();
  await nextIs(page, "Pedido coletado");
  assert.equal(await failed.count(), 0);
  // A wrong code that the service rejects at once is shown in the form.
  await testId(page, "next").click();
  await page.fill("#step-code", "ERRADO");
  await testId(page, "submit").click();
  await page.locator("dialog .error.box").filter({ hasText: "Código incorreto" }).waitFor();
  await page.fill("#step-code", order.pickupCode);
  await testId(page, "submit").click();
  await stepTaken(page, 1);
  await close();
});

test("reload during a request sends the step once", async () => {
  const { page, close } = await openApp(browser, "Rita Recarga", NATAL[0]);
  const order = await allocated(...NATAL);
  await nextIs(page, "Cheguei à coleta");
  const keys = [];
  let isLost = true;
  let received;
  const arrived = new Promise((resolve) => (received = resolve));
  await page.route("**/courier/orders/*/*", async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    if (!isLost) return route.continue();
    // The service takes the step, but its response never arrives.
    isLost = false;
    await route.fetch();
    received();
  });
  await testId(page, "next").click();
  await arrived;
  assert.equal(await page.getAttribute("[data-testid=queue]", "data-waiting"), "1");
  await page.reload();
  await stepTaken(page, 0);
  await queueEmpty(page);
  assert.deepEqual(keys, [keys[0], keys[0]]);
  const { events } = await result(order.id);
  assert.equal(events.filter((one) => one.startsWith("order.courier_arrived")).length, 1);

  // A declined order leaves the app at once.
  await testId(page, "more").click();
  await testId(page, "do-decline").click();
  await testId(page, "submit").click();
  await page.getByText("Escolha um motivo.").waitFor();
  await page.getByText("Outro motivo").click();
  await page.fill("#step-reason", "Pneu furado");
  await testId(page, "submit").click();
  await testId(page, "duty").waitFor();
  await queueEmpty(page);
  assert.ok(
    (await result(order.id)).events.includes("order.courier_released  Pneu furado"),
    "the reason is stored",
  );
  await merchant("POST", "/delivery/orders/cancel", { orderId: order.id });
  await close();
});

test("table in the app equals the service's", async () => {
  const { apply } = (
    await runnerImport(new URL("../src/courier/table.ts", import.meta.url).pathname)
  ).module;
  const rider = await courier("Rita Tabela");
  await rider.send("position", {
    latitude: SALVADOR[0].latitude,
    longitude: SALVADOR[0].longitude,
  });
  const order = await allocated(...SALVADOR);
  const [first, second] = order.deliveries;
  const trip = async () => (await request(rider.key, "GET", "/courier/trip")).body.trip;
  const shape = (found) =>
    found && {
      orders: found.orders.map((one) => [
        one.situation,
        one.returnRequired,
        one.deliveries.map((stop) => stop.situation),
        [...one.possible].sort(),
      ]),
      stops: found.stops.map((stop) => [stop.type, stop.deliveryId, stop.latitude]),
    };
  let expected = await trip();
  const take = async (kind, deliveryId, body = {}) => {
    expected = apply(expected, { kind, orderId: order.id, deliveryId });
    await rider.send(
      `orders/${order.id}/${kind}`,
      deliveryId === null ? body : { deliveryId, ...body },
    );
    const found = await trip();
    assert.deepEqual(shape(expected), shape(found), kind);
    expected = found;
  };
  await take("arrive", null);
  await take("pickup", null, { code: order.pickupCode });
  await take("en-route", first.id);
  await take("resequence", first.id);
  await take("en-route", second.id);
  await take("at-door", second.id);
  await take("resequence", second.id);
  await take("fail", second.id, { reason: "Endereço não encontrado" });
  await take("en-route", first.id);
  await take("at-door", first.id);
  await take("deliver", first.id, { code: first.deliveryCode });
  await take("at-return", null);
  await take("hand-back", null, { code: await returnCode(order.id) });
  assert.equal(expected, null);
  await rider.stop();
});

/** Moves the focus with the Tab key until an element matches. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 40; presses += 1) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector))
      return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${selector} is not reachable with the Tab key`);
}

test("trip can be finished with only the keyboard", async () => {
  const { page, pageErrors, close } = await openApp(browser, "Rita Tecla", MACEIO[0], {
    isMobile: false,
    hasTouch: false,
  });
  const order = await allocated(...MACEIO);
  await nextIs(page, "Cheguei à coleta");
  const press = (key) => page.keyboard.press(key);
  for (const [at, kind] of TRIP.entries()) {
    if (kind === "fail") {
      await tabTo(page, "[data-testid=more]");
      await press("Enter");
      await tabTo(page, "[data-testid=do-fail]");
      await press("Enter");
      await page.waitForSelector("[data-testid=form-fail]");
      await tabTo(page, "[name=reason]");
      await press("Space");
      await press("ArrowDown");
    } else {
      await tabTo(page, "[data-testid=next]");
      await press("Enter");
    }
    if (["pickup", "deliver", "hand-back"].includes(kind)) {
      await page.waitForSelector(`[data-testid=form-${kind}]`);
      await tabTo(page, "#step-code");
      await page.keyboard.type(
        {
          pickup: order.pickupCode,
          deliver: order.deliveries[0].deliveryCode,
          "hand-back": await returnCode(order.id),
        }[kind],
      );
      if (kind === "deliver") {
        await tabTo(page, "#step-paid");
        await press("Space");
      }
    }
    if (["pickup", "deliver", "hand-back", "fail"].includes(kind)) {
      await tabTo(page, "[data-testid=submit]");
      await press("Enter");
      await page.waitForSelector("dialog[open]", { state: "detached" });
    }
    await stepTaken(page, at);
  }
  await page.waitForFunction(() => document.activeElement?.id === "title", null, {
    timeout: 5_000,
  });
  await queueEmpty(page);
  const { situation, events } = await result(order.id);
  assert.equal(situation, 510);
  assert.ok(
    events.some((one) => one.endsWith("Endereço não encontrado")),
    events.join(),
  );
  assert.deepEqual(pageErrors, []);
  await close();
});

/** Returns controls that are smaller than a thumb needs. A label enlarges the control inside it. */
const smallTargets = (page) =>
  page.evaluate(() => {
    const scope = document.querySelector("dialog[open]") ?? document.body;
    const found = [];
    for (const element of scope.querySelectorAll("a, button, input, textarea, summary")) {
      const target = element.closest("label") ?? element;
      const { width, height } = target.getBoundingClientRect();
      const isShown = target.checkVisibility({ visibilityProperty: true }) && width > 0;
      if (isShown && (width < 48 || height < 48))
        found.push(
          `${element.tagName} ${element.className} ${target.textContent} ${width}x${height}`,
        );
    }
    return found;
  });

const LOOKS = [
  ["phone", PHONE, "light", "pt-BR"],
  ["phone", PHONE, "dark", "en-US"],
  ["desktop", { width: 1280, height: 860 }, "light", "en-US"],
  ["desktop", { width: 1280, height: 860 }, "dark", "pt-BR"],
];

for (const [device, viewport, colorScheme, locale] of LOOKS) {
  test(`looks on ${device}, ${colorScheme}, ${locale}`, async () => {
    const at = VITORIA[0];
    const moved = {
      ...at,
      latitude:
        at.latitude + LOOKS.findIndex((one) => one[0] === device && one[2] === colorScheme) * 0.002,
    };
    const { page, context, pageErrors, close } = await openApp(browser, "Rita Vista", moved, {
      viewport,
      colorScheme,
      locale,
    });
    const found = [];
    const check = async (name) => {
      await settled(page);
      await screenshot(page, `courier-${name}-${device}-${colorScheme}`);
      // The desktop has the same elements and colours.
      if (device === "phone") {
        found.push(...(await axeViolations(page)).map((one) => `${name}: ${one}`));
        found.push(...(await smallTargets(page)).map((one) => `${name}: small target ${one}`));
        // 390 px at a zoom of 200 %.
        await page.setViewportSize({ width: 195, height: 422 });
      }
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (overflow > 0) found.push(`${name}: ${overflow} px of horizontal overflow`);
      if (device === "phone") await page.setViewportSize(viewport);
    };
    const go = (hash) => page.evaluate((to) => (location.hash = to), hash);
    const shut = async () => {
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog[open]", { state: "detached" });
    };
    await check("waiting");
    const order = await allocated(moved, VITORIA[1]);
    await testId(page, "stop").waitFor();
    await page.waitForSelector(".map .mark");
    await check("pickup");
    await testId(page, "navigate").click();
    await check("navigate");
    await shut();
    await context.setOffline(true);
    await testId(page, "next").click();
    await page.waitForSelector("[data-testid=queue][data-waiting='1']");
    await testId(page, "offline").waitFor();
    await testId(page, "next").click();
    await page.fill("#step-code", "ERRADO");
    await page.locator("summary").click();
    await check("form-pickup");
    await testId(page, "submit").click();
    await page.waitForSelector("dialog[open]", { state: "detached" });
    await check("offline");
    await context.setOffline(false);
    await testId(page, "failed").waitFor();
    await check("failed");
    await testId(page, "dismiss").click();
    await testId(page, "next").click();
    await page.fill("#step-code", order.pickupCode);
    await testId(page, "submit").click();
    await page.waitForSelector("dialog[open]", { state: "detached" });
    await testId(page, "next").click();
    await testId(page, "next")
      .filter({ hasText: /Cheguei|arrived/ })
      .click();
    await testId(page, "next")
      .filter({ hasText: /entregue|Delivered/ })
      .click();
    await testId(page, "submit").click();
    await page.waitForSelector("[aria-invalid=true]");
    await check("form-deliver");
    await shut();
    await testId(page, "more").click();
    await check("more");
    await testId(page, "do-fail").click();
    await page.waitForSelector("[data-testid=form-fail]");
    await check("form-fail");
    await shut();
    await check("delivery");
    await go("#settings");
    await check("settings");
    await go("#device");
    await testId(page, "create-device").click();
    await page.waitForSelector("svg.qr, .line");
    await check("device");
    await go("#");
    assert.deepEqual(found, []);
    assert.deepEqual(pageErrors, []);
    await close();
  });
}
