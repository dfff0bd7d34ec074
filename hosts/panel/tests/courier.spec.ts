// The courier's app: sign-in, a whole trip, lost networks, rejected steps, reloads, the keyboard, targets and looks.
import { apply, type StepKind } from "../src/courier/steps";
import type { Trip } from "../src/courier/wire";
import { BASE, request, type Body } from "./support/api";
import {
  PHONE,
  TRIP,
  cutNetwork,
  nextIs,
  orderFor,
  photo,
  queueEmpty,
  queueHas,
  result,
  returnCode,
  stepTaken,
  takeStep,
  testId,
  allocated,
} from "./support/courier-app";
import { expect, test } from "./support/fixtures";
import { axeViolations, deferred, screenshot, settled } from "./support/page";
import type { Page } from "@playwright/test";

const place = (street: string, latitude: number, longitude: number) => ({
  street,
  number: "100",
  latitude,
  longitude,
});
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

/** The end of an order whose courier was online for the whole trip. */
const END = {
  situation: 510,
  deliveries: [500, 540],
  events: [
    "order.created",
    "order.searching",
    "order.allocated",
    "order.courier_arrived",
    "order.picked_up",
    "delivery.en_route 0",
    "delivery.arrived 0",
    "delivery.delivered 0",
    "delivery.en_route 1",
    "delivery.arrived 1",
    "delivery.returning 1 Destinatário ausente",
    "order.courier_at_return",
    "order.returned",
  ],
};

/** Everything that scripts of the page can read: the URL, all storage and the cookies. */
const readable = (page: Page) =>
  page.evaluate(async () => {
    const storages = [{ ...localStorage }, { ...sessionStorage }, history.state];
    const stored = [location.href, document.referrer, document.cookie, JSON.stringify(storages)];
    const done = <T>(asked: IDBRequest<T>) =>
      new Promise<T>((resolve) => {
        asked.onsuccess = () => resolve(asked.result);
      });
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name ?? ""));
      for (const store of database.objectStoreNames) {
        const all = database.transaction(store).objectStore(store).getAll();
        stored.push(JSON.stringify(await done(all)));
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      for (const cached of await (await caches.open(name)).keys()) stored.push(cached.url);
    }
    return stored.join("\n");
  });

test("sign-in link leaves no secret that scripts can read", async ({ open, openApp }) => {
  const { page, rider } = await openApp("Rita Segredo", RECIFE[0]);
  const context = page.context();
  await expect(page).toHaveURL("/courier");
  await expect.poll(() => readable(page), "the stored data is read").toMatch(/Rita Segredo/);
  expect(await readable(page)).not.toMatch(/in_\d|ses_|dsp_/);
  const [cookie] = await context.cookies(`${BASE}/courier/me`);
  expect([cookie.name, cookie.httpOnly, cookie.sameSite, cookie.path]).toEqual([
    "despacho-courier",
    true,
    "Strict",
    "/courier",
  ]);
  await page.goBack();
  expect(page.url(), "the link is not in the history").not.toMatch(/in_/);
  await page.goto(`${BASE}/courier`);
  await expect(testId(page, "duty")).toBeVisible();

  // Availability.
  await testId(page, "duty").click();
  await expect(page.getByText("Você está indisponível").first()).toBeVisible();
  const available = async () => (await request(rider.key, "GET", "/courier/me")).body.available;
  await expect.poll(available).toBe(false);
  await testId(page, "duty").click();
  await expect(page.getByText("Aguardando uma viagem")).toBeVisible();

  // After signing out, the phone has neither the session nor the data.
  await testId(page, "settings").click();
  await testId(page, "sign-out").click();
  await expect(testId(page, "sign-in")).toBeVisible();
  await expect.poll(() => readable(page)).not.toMatch(/Rita/);
  expect((await context.cookies()).filter((one) => one.name === "despacho-courier")).toEqual([]);
  await page.reload();
  await expect(testId(page, "sign-in")).toBeVisible();

  // A pasted link signs in too; a used one shows the reason.
  const link = await rider.link();
  await page.fill("#code", "abc");
  await testId(page, "sign-in").click();
  await expect(page.getByText("Este não é um link de acesso.").first()).toBeVisible();
  await page.fill("#code", link);
  await testId(page, "sign-in").click();
  await expect(testId(page, "duty")).toBeVisible();
  const other = await open();
  await other.goto(link);
  await expect(other.getByText(/link de acesso é inválido/).first()).toBeVisible();
});

test("step of an ended session is sent after the next sign-in", async ({ store, openApp }) => {
  const { page, rider } = await openApp("Rita Volta", JOINVILLE[0]);
  const context = page.context();
  const order = await allocated(store, ...JOINVILLE);
  await nextIs(page, "Cheguei à coleta");
  await context.setOffline(true);
  await takeStep(page, store, "arrive", order);
  await stepTaken(page, 0);
  const takenAt = Date.now();
  await rider.alter({ newKey: true });
  // The step is sent more than a second after it was taken.
  await expect.poll(() => Date.now() - takenAt).toBeGreaterThan(1_500);
  await context.setOffline(false);
  await expect(page.getByText("Uma etapa ainda não foi enviada.")).toBeVisible();
  await page.goto(await rider.link());
  await stepTaken(page, 0);
  await queueEmpty(page);
  const { body } = await store.api("GET", `/delivery/orders/${order.id}`);
  const event = body.events.find((one: Body) => one.type === "order.courier_arrived");
  expect(body.situation).toBe(220);
  expect(
    Math.abs(Date.parse(event.createdAt) - takenAt),
    `${event.createdAt} is not the time of the step`,
  ).toBeLessThan(1_000);
  expect(
    Date.parse(event.receivedAt) - takenAt,
    `${event.receivedAt} is not the time of the arrival`,
  ).toBeGreaterThan(1_000);
});

test("whole trip online", async ({ store, openApp }) => {
  const { page } = await openApp("Rita Online", CURITIBA[0]);
  const order = await allocated(store, ...CURITIBA);
  await nextIs(page, "Cheguei à coleta");
  // The pickup names the store, and every link to a navigation app works on every phone.
  const { body: own } = await store.api("GET", `/delivery/stores/${order.storeId}`);
  await expect(testId(page, "store")).toHaveText(own.name);
  await expect(page.getByRole("link", { name: "Ligar para a loja" })).toHaveAttribute(
    "href",
    `tel:${own.responsible.phone}`,
  );
  await testId(page, "navigate").click();
  await expect(page.locator("dialog a")).toHaveCount(3);
  const links = await page
    .locator("dialog a")
    .evaluateAll((all) => (all as HTMLAnchorElement[]).map((one) => one.href));
  for (const link of links) expect(link).toMatch(/^https:.*-25\.4297,-49\.2711$/);
  await page.keyboard.press("Escape");
  for (const [at, kind] of TRIP.entries()) {
    if (at === 3) {
      const text = `Olá, Ana! Estou a caminho com o seu pedido ${order.code} de ${own.name}.`;
      await expect(page.getByRole("link", { name: "WhatsApp: Ana Lima" })).toHaveAttribute(
        "href",
        `https://wa.me/5511990000201?text=${encodeURIComponent(text)}`,
      );
      await expect(page.getByRole("link", { name: "SMS" })).toHaveAttribute(
        "href",
        "sms:+5511990000201",
      );
    }
    if (kind === "pickup") {
      // An error ends with its correction. Digits come first; a code with letters has another keypad.
      await testId(page, "next").click();
      await expect(page.locator("#step-code")).toHaveAttribute("inputmode", "numeric");
      await testId(page, "submit").click();
      await expect(page.locator("#step-code-error")).toBeVisible();
      await page.fill("#step-code", "1");
      await expect(page.locator("#step-code-error")).toHaveCount(0);
      await expect(page.locator("[aria-invalid=true]")).toHaveCount(0);
      await page.getByRole("button", { name: "O código tem letras" }).click();
      await expect(page.locator("#step-code")).toHaveAttribute("inputmode", "text");
      await page.keyboard.press("Escape");
    }
    if (kind === "at-return") {
      await expect(testId(page, "bring-back").locator("li")).toHaveText([
        "Pagamento de R$ 89,90: Ana Lima",
        "Mercadoria: Bruno Reis",
      ]);
    }
    await takeStep(page, store, kind, order);
    await stepTaken(page, at);
    await queueEmpty(page);
  }
  expect(await result(store, order.id)).toEqual(END);
});

test("network cut at every step loses and repeats nothing", async ({ store, openApp }) => {
  const { page } = await openApp("Rita Túnel", MANAUS[0]);
  const context = page.context();
  const order = await allocated(store, ...MANAUS);
  await nextIs(page, "Cheguei à coleta");
  for (const [at, kind] of TRIP.entries()) {
    if (kind === "hand-back") await returnCode(store, order.id);
    await context.setOffline(true);
    await takeStep(page, store, kind, order);
    await stepTaken(page, at);
    if (at === 4) {
      // The app also opens without a network, from the service worker's files and the stored trip.
      await page.reload();
      await stepTaken(page, at);
      await queueHas(page, 1);
    }
    await context.setOffline(false);
    await queueEmpty(page);
  }
  expect(await result(store, order.id)).toEqual(END);
});

test("trip taken offline is sent in order after reconnecting", async ({ store, openApp }) => {
  const { page } = await openApp("Rita Longe", RECIFE[0]);
  const order = await allocated(store, ...RECIFE);
  await nextIs(page, "Cheguei à coleta");
  const picture = await photo(page);
  const reconnect = await cutNetwork(page);
  for (const [at, kind] of TRIP.slice(0, 9).entries()) {
    await takeStep(page, store, kind, order, kind === "pickup" ? picture : undefined);
    await stepTaken(page, at);
  }
  await expect(testId(page, "offline")).toBeVisible();
  await page.reload();
  await stepTaken(page, 8);
  await queueHas(page, 9);
  const before = await result(store, order.id);
  expect(before.situation).toBe(210);
  await reconnect();
  await queueEmpty(page);
  await takeStep(page, store, "hand-back", order);
  await stepTaken(page, 9);
  await queueEmpty(page);
  expect(await result(store, order.id)).toEqual(END);
  const { body } = await store.api("GET", `/delivery/orders/${order.id}`);
  expect(body.proofs.map((proof: Body) => [proof.step, proof.photos.length])).toEqual([
    ["PICKUP", 1],
  ]);
});

test("rejected step shows the reason and drops the steps behind it", async ({ store, openApp }) => {
  const { page } = await openApp("Rita Engano", BELEM[0]);
  const context = page.context();
  const order = await allocated(store, ...BELEM);
  await nextIs(page, "Cheguei à coleta");
  await context.setOffline(true);
  await takeStep(page, store, "arrive", order);
  await takeStep(page, store, "pickup", { ...order, pickupCode: "ERRADO" });
  await takeStep(page, store, "en-route", order);
  await nextIs(page, /^Cheguei$/);
  await context.setOffline(false);
  const failed = testId(page, "failed");
  await expect(failed).toBeVisible();
  await expect(failed.locator("[data-state=rejected]")).toHaveText(
    /“Pedido coletado” \(Coleta\).*Código incorreto/s,
    { useInnerText: true },
  );
  await expect(failed.locator("[data-state=dropped]")).toHaveText(
    /“Sair para a entrega” \(Ana Lima\)/,
    { useInnerText: true },
  );
  await nextIs(page, "Pedido coletado");
  expect((await result(store, order.id)).situation).toBe(220);
  // The message stays until the courier has read it.
  await page.reload();
  await expect(failed).toBeVisible();
  await testId(page, "dismiss").click();
  await expect(failed).toHaveCount(0);
  await page.reload();
  await nextIs(page, "Pedido coletado");
  await expect(failed).toHaveCount(0);
  // A wrong code that the service rejects at once is shown in the form.
  await testId(page, "next").click();
  await page.fill("#step-code", "ERRADO");
  await testId(page, "submit").click();
  await expect(
    page.locator("dialog .error.box").filter({ hasText: "Código incorreto" }),
  ).toBeVisible();
  await page.fill("#step-code", order.pickupCode);
  await testId(page, "submit").click();
  await stepTaken(page, 1);
});

test("reload during a request sends the step once", async ({ store, openApp }) => {
  const { page } = await openApp("Rita Recarga", NATAL[0]);
  const order = await allocated(store, ...NATAL);
  await nextIs(page, "Cheguei à coleta");
  const keys: (string | undefined)[] = [];
  let isLost = true;
  const { promise: arrived, resolve: received } = deferred();
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
  await queueHas(page, 1);
  await page.reload();
  await stepTaken(page, 0);
  await queueEmpty(page);
  expect(keys).toEqual([keys[0], keys[0]]);
  const { events } = await result(store, order.id);
  expect(events.filter((one) => one.startsWith("order.courier_arrived")).length).toBe(1);

  // A declined order leaves the app at once.
  await testId(page, "more").click();
  await testId(page, "do-decline").click();
  await testId(page, "submit").click();
  await expect(page.getByText("Escolha um motivo.")).toBeVisible();
  await page.getByText("Outro motivo").click();
  await page.fill("#step-reason", "Pneu furado");
  await testId(page, "submit").click();
  await expect(testId(page, "duty")).toBeVisible();
  await queueEmpty(page);
  expect(
    (await result(store, order.id)).events.includes("order.courier_released  Pneu furado"),
    "the reason is stored",
  ).toBeTruthy();
  await store.api("POST", "/delivery/orders/cancel", { orderId: order.id });
});

test("state after each step equals the service's", async ({ courier, store }) => {
  const rider = await courier("Rita Tabela", SALVADOR[0]);
  const order = await allocated(store, ...SALVADOR);
  const [first, second] = order.deliveries;
  const trip = async (): Promise<Trip | null> =>
    (await request(rider.key, "GET", "/courier/trip")).body.trip;
  const shape = (found: Trip | null) =>
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
  const take = async (kind: StepKind, deliveryId: number | null, body = {}) => {
    const at = new Date().toISOString();
    const step = { kind, orderId: order.id, deliveryId, at, code: null, reason: null, proof: null };
    expected = apply(expected, step);
    await rider.send(
      `orders/${order.id}/${kind}`,
      deliveryId === null ? body : { deliveryId, ...body },
    );
    const found = await trip();
    expect(shape(expected), kind).toEqual(shape(found));
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
  await take("hand-back", null, { code: await returnCode(store, order.id) });
  expect(expected).toBe(null);
});

/** Moves the focus with the Tab key until an element matches. */
async function tabTo(page: Page, selector: string) {
  for (let presses = 0; presses < 40; presses += 1) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector))
      return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${selector} is not reachable with the Tab key`);
}

test("trip can be finished with only the keyboard", async ({ store, openApp }) => {
  const { page } = await openApp("Rita Tecla", MACEIO[0], { isMobile: false, hasTouch: false });
  const order = await allocated(store, ...MACEIO);
  await nextIs(page, "Cheguei à coleta");
  const press = (key: string) => page.keyboard.press(key);
  for (const [at, kind] of TRIP.entries()) {
    if (kind === "fail") {
      await tabTo(page, "[data-testid=more]");
      await press("Enter");
      await tabTo(page, "[data-testid=do-fail]");
      await press("Enter");
      await expect(page.locator("[data-testid=form-fail]")).toBeVisible();
      await tabTo(page, "[name=reason]");
      await press("Space");
      await press("ArrowDown");
    } else {
      await tabTo(page, "[data-testid=next]");
      await press("Enter");
    }
    if (["pickup", "deliver", "hand-back"].includes(kind)) {
      await expect(page.locator(`[data-testid=form-${kind}]`)).toBeVisible();
      await tabTo(page, "#step-code");
      const code =
        kind === "hand-back"
          ? await returnCode(store, order.id)
          : kind === "pickup"
            ? order.pickupCode
            : order.deliveries[0].deliveryCode;
      await page.keyboard.type(code);
      if (kind === "deliver") {
        await tabTo(page, "#step-paid");
        await press("Space");
      }
    }
    if (["pickup", "deliver", "hand-back", "fail"].includes(kind)) {
      await tabTo(page, "[data-testid=submit]");
      await press("Enter");
      await expect(page.locator("dialog[open]")).toHaveCount(0);
    }
    await stepTaken(page, at);
  }
  await expect(page.locator("#title")).toBeFocused();
  await queueEmpty(page);
  const { situation, events } = await result(store, order.id);
  expect(situation).toBe(510);
  expect(
    events.some((one) => one.endsWith("Endereço não encontrado")),
    events.join(),
  ).toBeTruthy();
});

/** Returns controls that are smaller than a thumb needs. A label enlarges the control inside it. */
const smallTargets = (page: Page) =>
  page.evaluate(() => {
    const scope = document.querySelector("dialog[open]") ?? document.body;
    const found: string[] = [];
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
] as const;

for (const [device, viewport, colorScheme, locale] of LOOKS) {
  test(`looks on ${device}, ${colorScheme}, ${locale}`, async ({ openApp, store }) => {
    const at = VITORIA[0];
    const moved = {
      ...at,
      latitude:
        at.latitude + LOOKS.findIndex((one) => one[0] === device && one[2] === colorScheme) * 0.002,
    };
    const { page } = await openApp("Rita Vista", moved, { viewport, colorScheme, locale });
    const context = page.context();
    const found: string[] = [];
    const check = async (name: string) => {
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
    const go = (hash: string) =>
      page.evaluate((to) => {
        location.hash = to;
      }, hash);
    const shut = async () => {
      await page.keyboard.press("Escape");
      await expect(page.locator("dialog[open]")).toHaveCount(0);
    };
    await check("waiting");
    const order = await allocated(store, moved, VITORIA[1]);
    await expect(testId(page, "stop")).toBeVisible();
    await expect(page.locator(".map .mark").first()).toBeVisible();
    await check("pickup");
    await testId(page, "navigate").click();
    await check("navigate");
    await shut();
    await context.setOffline(true);
    await testId(page, "next").click();
    await expect(page.locator("[data-testid=queue][data-waiting='1']")).toBeVisible();
    await expect(testId(page, "offline")).toBeVisible();
    await testId(page, "next").click();
    await page.fill("#step-code", "ERRADO");
    await page.locator("summary").click();
    await check("form-pickup");
    await testId(page, "submit").click();
    await expect(page.locator("dialog[open]")).toHaveCount(0);
    await check("offline");
    await context.setOffline(false);
    await expect(testId(page, "failed")).toBeVisible();
    await check("failed");
    await testId(page, "dismiss").click();
    await testId(page, "next").click();
    await page.fill("#step-code", order.pickupCode);
    await testId(page, "submit").click();
    await expect(page.locator("dialog[open]")).toHaveCount(0);
    await testId(page, "next").click();
    await testId(page, "next")
      .filter({ hasText: /Cheguei|arrived/ })
      .click();
    await testId(page, "next")
      .filter({ hasText: /entregue|Delivered/ })
      .click();
    await testId(page, "submit").click();
    await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
    await check("form-deliver");
    await shut();
    await testId(page, "more").click();
    await check("more");
    await testId(page, "do-fail").click();
    await expect(page.locator("[data-testid=form-fail]")).toBeVisible();
    await check("form-fail");
    await shut();
    await check("delivery");
    await go("#settings");
    await check("settings");
    await go("#device");
    await testId(page, "create-device").click();
    await expect(page.locator("svg.qr, .line").first()).toBeVisible();
    await check("device");
    await go("#");
    expect(found).toEqual([]);
  });
}
