// The work at a counter: lateness, typing aids, shortcuts, attention, printing and import.
import { encode } from "uqr";
import {
  VERGUEIRO,
  createStore,
  sessionOf,
  uniqueCode,
  until,
  type Body,
  type Store,
} from "./support/api";
import { expect, test } from "./support/fixtures";
import {
  axeViolations,
  defectsEverywhere,
  dialog,
  downloaded,
  expectMarksInsideMap,
  fillAddress,
  goTo,
  isAt,
  logIn,
  painted,
  printed,
  priceShown,
  screenshot,
  sendOrder,
} from "./support/page";
import type { Page, Request } from "@playwright/test";

/** What the test records of what the browser would show, play and print. */
interface Recorded {
  shown: string[];
  tones: number;
  prints: number;
}

let page: Page;
let store: Store;
test.beforeEach(async ({ page: own, context, store: mine }) => {
  [page, store] = [own, mine];
  await page.clock.install();
  await context.grantPermissions(["notifications"]);
  await page.addInitScript(() => {
    const recorded: Recorded = { shown: [], tones: 0, prints: 0 };
    Object.assign(globalThis, { recorded });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...times) {
      recorded.tones += 1;
      return start.apply(this, times);
    };
    globalThis.Notification = class extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        recorded.shown.push(options?.body ?? "");
      }
    };
    // A test prints the sheet itself.
    globalThis.print = () => {
      recorded.prints += 1;
    };
    // A headless page always has the focus.
    document.hasFocus = () => false;
  });
  await logIn(page, store);
  store.key = (await sessionOf(page)).key;
  await expect(page.locator(".connection.live").first()).toBeVisible();
});

const recorded = () =>
  page.evaluate(() => (globalThis as unknown as { recorded: Recorded }).recorded);

/** Porto Alegre, where no other test has couriers. */
const PICKUP = {
  street: "Rua dos Andradas",
  number: "100",
  city: "Porto Alegre",
  state: "RS",
  latitude: -30.0297,
  longitude: -51.2336,
};
const DOOR = {
  street: "Rua da República",
  number: "100",
  city: "Porto Alegre",
  state: "RS",
  latitude: -30.0386,
  longitude: -51.2205,
};

const create = (order: Record<string, unknown> = {}): Promise<Body> =>
  store.order({
    code: uniqueCode("BALCAO"),
    pickupAddress: PICKUP,
    deliveries: [
      { name: "Maria Silva", phone: "+5511990000201", onlinePayment: true, address: DOOR },
    ],
    ...order,
  });

/** Creates an order with the form, whose preparation time is suggested for the next one. */
async function createByForm(code: string, preparation: string): Promise<void> {
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await page.fill("#f-preparationTime", preparation);
  await page.fill("#f-deliveries-0-phone", "11987654321");
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await sendOrder(page);
  await expect(page.locator(".timeline").first()).toBeVisible();
}

const row = (code: string) => page.locator(".orders tbody tr", { hasText: code });

test("phones and CEPs are accepted as typed", async () => {
  await goTo(page, "/orders/new");
  const phone = page.locator("#f-deliveries-0-phone");
  await expect(phone).toBeFocused();
  for (const typed of [
    "11 98765-4321",
    "(11) 98765-4321",
    "+55 11 98765 4321",
    "5511987654321",
    "011987654321",
  ]) {
    await phone.fill(typed);
    await phone.blur();
    await expect(phone, typed).toHaveValue("(11) 98765-4321");
  }
  const zip = page.locator("#f-deliveries-0-address-zipCode");
  await zip.pressSequentially("01504000");
  await expect(zip).toHaveValue("01504-000");
  await page.fill("#f-preparationTime", "25");
  await page.fill("#f-code", uniqueCode("FONE"));
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await sendOrder(page);
  await expect(page.locator(".timeline").first()).toBeVisible();
  await expect(page.locator(".stops").getByText("(11) 98765-4321")).toBeVisible();
  const id = new URL(page.url()).hash.split("/").at(-1);
  const { body } = await store.api("GET", `/delivery/orders/${id}`);
  expect(body.deliveries[0].phone).toBe("+5511987654321");
});

test("next order code and usual preparation time are suggested", async () => {
  const number = Date.now() % 1e9;
  await createByForm(uniqueCode("ANTES"), "25");
  await goTo(page, "/orders");
  const made = await create({ code: String(number) });
  await expect(row(made.code)).toBeVisible();
  await goTo(page, "/orders/new");
  await expect(page.locator("#f-code")).toHaveValue(String(number + 1));
  await expect(page.locator("#f-preparationTime")).toHaveValue("25");
  // An edited code stays, also after a reload without a network.
  await page.fill("#f-code", "");
  await page.reload();
  await expect(page.locator("#f-code")).toBeVisible();
  await expect(row(made.code)).toHaveCount(0);
  await expect(page.locator("#f-code")).toHaveValue("");
  await page.getByRole("button", { name: "Limpar" }).click();
  await expect(page.locator("#f-code")).toHaveValue(String(number + 1));
});

test("typing mistakes cause no request, even if the server computes the prices", async () => {
  // The response of a server with data that the page lacks.
  await page.route("**/preview-context", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), exact: false } });
  });
  await goTo(page, "/orders");
  await page.reload();
  await expect(page.locator("#title")).toBeVisible();
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith(".wasm")),
    goTo(page, "/orders/new"),
  ]);
  await page.fill("#f-code", uniqueCode("CONTATO"));
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  let requests = 0;
  const count = (request: Request) => {
    if (request.method() === "POST" && request.url().endsWith("/delivery/orders")) requests += 1;
  };
  page.on("request", count);
  await sendOrder(page);
  await expect(
    page.locator("#f-deliveries-0-phone-error").getByText("telefone ou e-mail"),
  ).toBeVisible();
  await page.fill("#f-deliveries-0-phone", "12");
  await sendOrder(page);
  await expect(page.locator("#f-deliveries-0-phone-error").getByText("com DDD")).toBeVisible();
  await page.locator("#f-deliveries-0-confirmation-platform").uncheck();
  await expect(page.locator("#f-deliveries-0-email")).toHaveCount(0);
  expect(requests).toBe(0);
  page.off("request", count);
  await expect(page.locator("[data-source=page]")).toHaveCount(0);
  await page.unrouteAll({ behavior: "wait" });
});

test("vehicle and load become requirements of the order, which its page shows", async () => {
  await goTo(page, "/orders/new");
  const code = uniqueCode("CARGA");
  await page.fill("#f-code", code);
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await page.locator("#f-deliveries-0-confirmation-platform").uncheck();
  await page.locator("[data-testid=load] summary").click();
  await page.fill("#f-requirements-weightGrams", "300,5");
  await page.locator("#f-requirements-vehicle-CAR").check();
  await expect(page.locator("#f-requirements-weightGrams-error").getByText("VUC")).toBeVisible();
  await page.fill("#f-requirements-weightGrams", "25,5");
  await page.fill("#f-requirements-packages", "3");
  await page.locator("#f-requirements-container").check();
  await expect(page.locator("#f-requirements-weightGrams-error")).toHaveCount(0);
  await sendOrder(page);
  await expect(page.getByRole("heading", { level: 1, name: code })).toBeVisible();
  await expect(page.locator(".facts").getByText("25,5")).toBeVisible();
  const { body } = await store.api("GET", `/delivery/orders?code=${code}`);
  expect(body.orders[0].requirements).toEqual({
    vehicle: ["CAR"],
    weightGrams: 25_500,
    volumeMillilitres: null,
    packages: 3,
    container: "THERMIC",
    cardMachine: false,
  });
});

test("the store's usual preparation time is suggested in a new order", async () => {
  await goTo(page, "/settings");
  const form = page.locator("[data-testid=hours]");
  const save = form.locator("button[type=submit]");
  await form.locator("#f-preparationTime").fill("1441");
  await save.click();
  await expect(form.locator("#f-preparationTime-error")).toBeVisible();
  await form.locator("#f-preparationTime").fill("35");
  await save.click();
  await expect(form.locator("#f-preparationTime-error")).toHaveCount(0);
  await goTo(page, "/orders/new");
  await expect(page.locator("#f-preparationTime")).toHaveValue("35");
  await page.reload();
  await expect(page.locator("#f-preparationTime")).toHaveValue("35");
  await goTo(page, "/settings");
  await form.locator("#f-preparationTime").fill("");
  await save.click();
  await expect(form.locator(".invalid")).toHaveCount(0);
  await goTo(page, "/orders/new");
  await expect(page.locator("#f-preparationTime")).not.toHaveValue("35");
});

test("window of a delivery is checked, kept in the draft and shown", async () => {
  await goTo(page, "/orders/new");
  const code = uniqueCode("JANELA");
  const from = page.locator("#f-deliveries-0-window-from");
  const until = page.locator("#f-deliveries-0-window-until");
  const fillIn = async (typed: string) => {
    await page.fill("#f-code", typed);
    await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
    await page.locator("#f-deliveries-0-confirmation-platform").uncheck();
  };
  await fillIn(code);
  await page.locator("fieldset summary", { hasText: "Janela de entrega" }).click();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await from.fill(`${tomorrow}T20:00`);
  await expect(page.locator("#f-deliveries-0-window-until-error")).toBeVisible();
  await until.fill(`${tomorrow}T19:00`);
  await expect(
    page
      .locator("#f-deliveries-0-window-until-error")
      .getByText("A janela precisa terminar depois do início."),
  ).toBeVisible();
  await until.fill(`${tomorrow}T21:00`);
  await expect(page.locator("#f-deliveries-0-window-until-error")).toHaveCount(0);
  await page.reload();
  await expect(from).toHaveValue(`${tomorrow}T20:00`);
  await expect(until).toHaveValue(`${tomorrow}T21:00`);
  // A field that the user clears does not close its section.
  await from.fill("");
  await until.fill("");
  await expect(from).toBeVisible();

  // The preparation takes longer than the window allows: the error belongs to both times.
  const local = (minutes: number) =>
    new Date(Date.now() + (minutes - 180) * 60_000).toISOString().slice(0, 16);
  await from.fill(local(5));
  await until.fill(local(10));
  await page.fill("#f-preparationTime", "60");
  await expect(page.locator("#f-deliveries-0-window-error")).toBeVisible();
  await sendOrder(page);
  await page.locator(".error-box .link", { hasText: "Janela de entrega: " }).click();
  await expect(page.locator("#f-deliveries-0-window")).toBeFocused();
  expect(await axeViolations(page)).toEqual([]);

  await page.fill("#f-preparationTime", "0");
  await from.fill(`${tomorrow}T20:00`);
  await until.fill(`${tomorrow}T21:00`);
  await sendOrder(page);
  await expect(page.getByRole("heading", { level: 1, name: code })).toBeVisible();
  await expect(
    page.locator(".stops").getByText(/entre \d\d\/\d\d\/\d{4},? 20:00 e 21:00/),
  ).toBeVisible();
  const { body } = await store.api("GET", `/delivery/orders?code=${code}`);
  const { window } = body.orders[0].deliveries[0];
  expect([window.from, window.until].map((time) => Date.parse(time))).toEqual(
    ["20:00", "21:00"].map((time) => Date.parse(`${tomorrow}T${time}-03:00`)),
  );
  await goTo(page, "/orders");
  await expect(
    page.locator(".orders tr", { hasText: code }).locator(".due").getByText("20:00 e 21:00"),
  ).toBeVisible();
});

test("price names the missing field, and is marked while estimated", async () => {
  await goTo(page, "/orders/new");
  const reason = page.getByTestId("price-reason");
  const zip = page.locator("#f-deliveries-0-address-zipCode");
  const city = page.locator("#f-deliveries-0-address-city");
  // The city is that of the store, which is no address.
  await expect(city).not.toHaveValue("");
  await expect(reason.getByText("Informe o CEP ou a rua")).toBeVisible();
  await zip.fill("0150");
  await expect(reason.getByText("oito dígitos")).toBeVisible();
  await zip.fill("");
  await city.fill("");
  await page.selectOption("#f-deliveries-0-address-state", "");
  await expect(reason.getByText("Informe o CEP, ou a cidade e o estado")).toBeVisible();
  await city.fill("São Paulo");
  await expect(reason.getByText("Escolha o estado")).toBeVisible();
  await page.selectOption("#f-deliveries-0-address-state", "SP");
  await expect(page.locator(".estimate").getByText("valor estimado")).toBeVisible();
  await expect(
    page.locator(".estimate").getByText(/entre R\$\s[\d,]+ e R\$\s[\d,]+/),
  ).toBeVisible();
  await page.getByRole("button", { name: "Adicionar entrega" }).click();
  await expect(
    reason.getByText("não inclui todas as entregas. Entrega 2: Informe o CEP"),
  ).toBeVisible();
  await page.getByRole("button", { name: "Remover a entrega 2" }).click();
  // The buttons have the same place with and without a price.
  const submit = page.locator("form.create button[type=submit]");
  const withPrice = await submit.boundingBox();
  await city.fill("");
  await expect(page.getByTestId("price")).toHaveText("—");
  expect(await submit.boundingBox()).toEqual(withPrice);
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await expect(page.locator(".estimate")).toHaveCount(0);
  await page.fill("#f-deliveries-0-address-latitude", "95");
  await expect(reason.getByText(/campos inválidos: ./)).toBeVisible();

  // On a phone, the buttons are below the price.
  await page.fill("#f-deliveries-0-address-latitude", "");
  await page.fill("#f-deliveries-0-address-longitude", "");
  await page.setViewportSize({ width: 390, height: 844 });
  await priceShown(page);
  const [price, button] = await Promise.all(
    [page.getByTestId("price"), page.locator(".create-price .button.primary")].map((one) =>
      one.boundingBox(),
    ),
  );
  expect((price?.y ?? 0) + (price?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
});

test("shortcuts work, but not while typing", async () => {
  await goTo(page, "/orders");
  for (let orders = 0; orders < 2; orders += 1) {
    const { code } = await create({ preparationTime: 60 });
    await expect(row(code)).toBeVisible();
  }
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.locator("#title").focus();
  await page.keyboard.press("j");
  const first = await page.locator(".row-link").first().innerText();
  await expect.poll(focused).toBe(first);
  await page.keyboard.press("j");
  await expect.poll(focused).not.toBe(first);
  await page.keyboard.press("k");
  await expect.poll(focused).toBe(first);
  // A row keeps its place when it loses the focus.
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await page.keyboard.press("k");
  await expect.poll(focused).toBe(first);
  await page.keyboard.press("Enter");
  await expect(page.locator("#title")).toContainText(first);
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await isAt(page, "#/balance");
  // The search gets the focus even if the page is slow.
  await page.evaluate(() =>
    addEventListener(
      "hashchange",
      () => {
        for (const start = performance.now(); performance.now() - start < 300; );
      },
      { once: true },
    ),
  );
  await page.keyboard.press("/");
  await expect(page.locator("input[type=search]")).toBeFocused();
  await page.keyboard.type("?ngb");
  expect(await page.evaluate(() => location.hash)).toMatch(/^#\/orders(\?|$)/);
  await expect(page.locator("input[type=search]")).toHaveValue("?ngb");
  await page.locator("input[type=search]").fill("");
  await page.locator("#title").focus();
  await page.keyboard.press("?");
  const help = page.locator("dialog[open]");
  await expect(help.getByText("Próximo pedido da lista")).toBeVisible();
  await page.keyboard.press("n");
  await help.getByText("Usar estes atalhos").click();
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);
  await page.keyboard.press("n");
  await isAt(page, "#/orders");
  await page.keyboard.press("?");
  await help.getByText("Usar estes atalhos").click();
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);
  await page.keyboard.press("n");
  await isAt(page, "#/orders/new");
  await expect(page.locator("#f-deliveries-0-phone")).toBeFocused();
});

test("Ctrl+Enter creates an order from any field, once", async () => {
  const code = uniqueCode("TECLA");
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await page.fill("#f-deliveries-0-phone", "11990000201");
  await priceShown(page);
  await screenshot(page, "create-keys");
  await page.locator("#f-deliveries-0-address-state").press("ControlOrMeta+Enter");
  await page.keyboard.press("ControlOrMeta+Enter");
  await isAt(page, /^#\/orders\/\d+$/);
  await expect(page.locator("#title")).toContainText(code);
  await page.keyboard.press("?");
  await expect(dialog(page).getByText("Ctrl + Enter")).toBeVisible();
  await screenshot(page, "help-keys");
});

test("labels and receipts are printed in their own sizes, and a label has none of the codes", async () => {
  const deliveries = ["Maria Silva", "João Pereira"].map((name) => ({
    name,
    productValue: 57.9,
    pickupCode: "COLETA7",
    address: DOOR,
  }));
  Object.assign(deliveries[0], {
    onlinePayment: false,
    payment: { method: "CASH", changeFor: 100 },
  });
  // The receipt has the code of the pickup until then.
  const made = await create({ deliveries, preparationTime: 120 });
  await goTo(page, `/orders/${made.id}`);
  const print = async (button: string) => {
    const before = (await recorded()).prints;
    await page.getByRole("button", { name: button }).click();
    await expect.poll(async () => (await recorded()).prints).toBeGreaterThan(before);
    await page.emulateMedia({ media: "print" });
    return (await page.locator("main").innerText()).replaceAll("\u00A0", " ");
  };
  /** Returns the sizes of the pages of a PDF in millimetres, without the order of its objects. */
  const sizes = async (name: string) => {
    await page.emulateMedia({ media: null });
    const pdf = await printed(page, name);
    await expect(page.locator(".print-sheet")).toHaveCount(0);
    return [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map((box) =>
      [box[1], box[2]].map((points) => Math.round((Number(points) / 72) * 25.4)),
    );
  };

  const label = await print("Imprimir etiqueta");
  await expect(page.locator(".label")).toHaveCount(2);
  for (const expected of [
    made.code,
    "Maria Silva",
    "João Pereira",
    "Receber",
    "R$ 57,90",
    "dinheiro, troco de R$ 42,10",
    "Pago",
  ])
    expect(label.includes(expected), expected).toBeTruthy();
  for (const secret of ["COLETA7", ...made.deliveries.map((stop: Body) => stop.deliveryCode)])
    expect(label.split(/\s+/).includes(secret), secret).toBeFalsy();
  // The code leads to the order in the panel, which needs the store's session, and not to the recipient's page.
  const { data } = encode(`${new URL(page.url()).origin}/#/orders/${made.id}`, {
    ecc: "M",
    border: 2,
  });
  const squares = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  for (const path of await page.locator(".label-qr path").all())
    await expect(path).toHaveAttribute("d", squares);
  for (const one of await page.locator(".label").all()) {
    expect(
      await one.evaluate((element) => element.scrollHeight <= element.clientHeight + 1),
      "the label is cut off",
    ).toBeTruthy();
  }
  expect(await sizes("print.label")).toEqual([
    [100, 60],
    [100, 60],
  ]);

  const receipt = await print("Imprimir recibo");
  for (const expected of [
    "COLETA7",
    "Via do balcão",
    "R$ 57,90 · dinheiro, troco de R$ 42,10",
    "Pago R$ 57,90",
  ])
    expect(receipt.includes(expected), expected).toBeTruthy();
  expect(receipt).not.toMatch(/Cancelar pedido/);
  await page.emulateMedia({ media: null });
  // The hidden sheet is as wide as the paper.
  const height = await page
    .locator(".print-sheet")
    .evaluate((element) => (element.getBoundingClientRect().height / 96) * 25.4);
  const [paper, ...others] = await sizes("print.receipt");
  expect(others).toEqual([]);
  expect(paper[0]).toBe(80);
  expect(
    paper[1] >= height + 8 && paper[1] <= height + 11,
    `${paper[1]} mm for ${height} mm and the margins`,
  ).toBeTruthy();
});

test("map shows the whole circle of an approximate location", async () => {
  const address = { street: "Rua Augusta", number: "1508", city: "São Paulo", state: "SP" };
  const made = await create({
    pickupAddress: undefined,
    preparationTime: 30,
    deliveries: [{ name: "Maria Silva", address }],
  });
  await goTo(page, `/orders/${made.id}`);
  await expect(page.locator(".map .approximate")).toBeVisible();
  await expectMarksInsideMap(page);
});

test("import shows every error first, and resumes after a lost network", async () => {
  await goTo(page, "/orders/import");
  const template = await downloaded(page, page.getByRole("button", { name: "Baixar um modelo" }));
  const [head, example] = template.text.split("\r\n");
  expect(head).toMatch(/^\uFEFFcodigo;destinatario;telefone;/);
  const codes = [1, 2, 3].map(() => uniqueCode("CSV"));
  const line = (code: string, changes: Record<number, string> = {}) => {
    const cells = example.split(";");
    cells[0] = code;
    for (const [at, cell] of Object.entries(changes)) cells[Number(at)] = cell;
    return cells.join(";");
  };
  const load = {
    [head.split(";").indexOf("veiculo")]: "car vuc",
    [head.split(";").indexOf("peso_kg")]: "22",
  };
  const text = [
    head,
    line(codes[0], load),
    line(codes[1], { 16: '"Portão ""azul""; fundos"', 13: "1.057,90" }),
    line(codes[2], { 2: "12", 14: "talvez" }),
    line(codes[0]),
    "",
  ].join("\r\n");
  const posts: string[] = [];
  const onRequest = (request: Request) => {
    if (request.method() === "POST" && request.url().endsWith("/delivery/orders")) {
      posts.push(request.postDataJSON().code);
    }
  };
  page.on("request", onRequest);
  await page.setInputFiles("#f-file", {
    name: "pedidos.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(text),
  });
  await expect(page.getByText("2 pedidos para criar")).toBeVisible();
  await expect(page.getByText("2 linhas têm erros")).toBeVisible();
  const rows = page.locator(".import-rows tbody tr");
  await expect(rows.nth(2)).toHaveText(/pago: Use sim ou não\.[\s\S]*telefone: /, {
    useInnerText: true,
  });
  await expect(rows.nth(3)).toHaveText(/codigo: O código já está na linha 2\./, {
    useInnerText: true,
  });
  await expect(rows.nth(0)).toHaveText(/Pronta[\s\S]*R\$/, { useInnerText: true });
  expect(posts, "an order was created before the user confirmed").toEqual([]);
  await screenshot(page, "import-checked");

  // The server creates the second order, but its response is lost; then the page is reloaded.
  let isSent = false;
  await page.route("**/delivery/orders", async (route) => {
    if (route.request().method() !== "POST" || route.request().postDataJSON().code !== codes[1])
      return route.continue();
    if (!isSent) await route.fetch();
    isSent = true;
    return route.abort();
  });
  await page.getByRole("button", { name: "Criar 2 pedidos" }).click();
  await expect(page.getByText("Aguardando conexão. Depois, a importação continua.")).toBeVisible();
  await page.unroute("**/delivery/orders");
  await page.reload();
  await page.getByRole("button", { name: "Retomar: falta 1 pedido" }).click();
  await expect(page.getByText("2 de 2 pedidos criados.")).toBeVisible();
  page.off("request", onRequest);
  for (const code of codes.slice(0, 2)) {
    const { body } = await store.api("GET", `/delivery/orders?code=${code}`);
    expect(body.orders.length, code).toBe(1);
    expect(body.orders[0].deliveries[0].phone).toBe("+5511987654321");
    const loads: Record<string, unknown> = {
      [codes[0]]: [["CAR", "VUC"], 22_000],
      [codes[1]]: [[], 2_500],
    };
    expect([body.orders[0].requirements.vehicle, body.orders[0].requirements.weightGrams]).toEqual(
      loads[code],
    );
    if (code === codes[1])
      expect([
        body.orders[0].deliveries[0].observation,
        body.orders[0].deliveries[0].productValue,
      ]).toEqual(['Portão "azul"; fundos', 1057.9]);
  }
  // The lines with errors remain, to be corrected.
  await page.getByRole("button", { name: "Nova importação" }).click();
  const left = (await page.inputValue("#f-csv")).trim().split("\n");
  expect(left.map((one) => one.split(";")[0])).toEqual(["codigo", codes[2], codes[0]]);
  await page.fill("#f-csv", "destinatario,cep\nMaria,01504-000");
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await expect(page.locator(".field.invalid #f-csv")).toBeVisible();
  await expect(page.locator("#f-csv-error")).toHaveText(/code/, { useInnerText: true });
  await page.setInputFiles("#f-file", {
    name: "pedidos.csv",
    mimeType: "text/csv",
    buffer: Buffer.alloc(1_000_001, "a"),
  });
  await expect(page.locator(".field.invalid #f-file")).toBeVisible();
  await expect(page.locator("#f-file-error")).toHaveText("O arquivo tem mais de 1 MB.");
  const many = ["code", ...Array.from({ length: 201 }, (_, at) => String(at))].join("\n");
  await page.fill("#f-csv", many);
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await expect(page.locator("#f-csv-error").getByText("Há 201 linhas")).toBeVisible();
  // A stopped check can be continued.
  await page.route("**/delivery/orders/preview", (route) => route.abort());
  await page.fill(
    "#f-csv",
    text.split("\r\n").slice(0, 2).join("\n").replace(codes[0], uniqueCode("CSV")),
  );
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await expect(rows.getByText("Conferindo…")).toBeVisible();
  await page.getByRole("button", { name: "Parar" }).click();
  await expect(rows.getByText("Não conferida")).toBeVisible();
  await page.unroute("**/delivery/orders/preview");
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await expect(page.getByText("1 pedido para criar")).toBeVisible();
  await page.getByRole("button", { name: "Nova importação" }).click();

  // A spreadsheet without UTF-8, with a comma and a quoted decimal comma.
  const old = Buffer.from(
    `code,name,zip,street,number,city,state,value\n${uniqueCode("CSV")},João,01504-000,Rua Vergueiro,1000,São Paulo,SP,"1,50"`,
    "latin1",
  );
  await page.setInputFiles("#f-file", { name: "orders.csv", mimeType: "text/csv", buffer: old });
  await expect(page.getByText("1 pedido para criar")).toBeVisible();
  await expect(rows.getByText("João")).toBeVisible();
  await page.getByRole("button", { name: "Nova importação" }).click();

  // A spreadsheet in UTF-16 with tabs and a line that names the separator.
  const cells = ["codigo", "destinatario", "cep", "rua", "numero", "cidade", "uf", "valor"];
  const utf16 = (lines: string[]) => Buffer.from(`\uFEFF${lines.join("\r\n")}`, "utf16le");
  const made = [
    uniqueCode("CSV"),
    "Inês",
    "01504-000",
    "Rua Vergueiro",
    "1000",
    "São Paulo",
    "SP",
    "R$ 1.200",
  ];
  await page.setInputFiles("#f-file", {
    name: "pedidos.txt",
    mimeType: "text/plain",
    buffer: utf16([
      "sep=\t",
      cells.join("\t"),
      made.join("\t"),
      [...made.with(0, uniqueCode("CSV")).slice(0, 7), "57,90"].join("\t"),
    ]),
  });
  await expect(page.getByText("2 pedidos para criar")).toBeVisible();
  await expect(rows.getByText("Inês").first()).toBeVisible();
  await page.getByRole("button", { name: "Nova importação" }).click();
  // Without another number, a tab does not show the decimal mark.
  await page.setInputFiles("#f-file", {
    name: "pedidos.txt",
    mimeType: "text/plain",
    buffer: utf16([cells.join("\t"), made.join("\t")]),
  });
  await expect(rows.getByText("R$ 1.200 pode significar milhares ou milésimos.")).toBeVisible();
  await page.getByRole("button", { name: "Nova importação" }).click();
  await page.fill("#f-csv", `${cells.join(";")}\n${made.join(";")}\n2;"Rui;;;;;;\n3;Eva;;;;;;`);
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await expect(page.locator("#f-csv-error").getByText("Na linha 3, uma aspa")).toBeVisible();
  await page.fill("#f-csv", "");
});

/** Chooses both alerts in the settings. */
async function chooseAlerts() {
  await goTo(page, "/settings");
  const alerts = page.getByTestId("attention");
  await alerts.getByLabel("Tocar um som").check();
  await alerts.getByLabel("Mostrar notificações").check();
  // The browser confirms its permission later.
  const chosen = () => page.evaluate(() => localStorage.getItem("despacho.attention"));
  await expect.poll(chosen).toBe(JSON.stringify({ sound: true, browser: true }));
}

test("alerts are opt-in, and typing mistakes cause none", async () => {
  await chooseAlerts();

  // Only the server can reject a used code; the form shows this to the clerk.
  const made = await create();
  await goTo(page, "/orders/new");
  await page.fill("#f-code", made.code);
  await page.fill("#f-deliveries-0-phone", "11987654321");
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await sendOrder(page);
  await expect(page.getByText("Já existe um pedido com este código.")).toBeVisible();
  await Promise.all([
    page.waitForResponse(/\/delivery\/notifications(\?|$)/),
    page.clock.fastForward(30_000),
  ]);
  await painted(page);
  expect((await recorded()).shown.filter((text) => text.includes(made.code))).toEqual([]);
  const { body } = await store.api("GET", "/delivery/notifications");
  expect(body.notifications.filter((one: Body) => one.orderCode === made.code)).toEqual([]);
  await page.getByRole("button", { name: "Limpar" }).click();
});

test("late orders come first, without a request", async ({ context }) => {
  await chooseAlerts();
  const later = await create({ preparationTime: 120 });
  const sooner = await create({ preparationTime: 60 });
  await goTo(page, "/orders");
  for (const { code } of [later, sooner]) await expect(row(code)).toBeVisible();
  const codes = () => page.locator(".orders .row-link").allInnerTexts();
  await expect.poll(async () => (await codes()).length).toBeGreaterThan(1);
  const order = await codes();
  expect(order.indexOf(sooner.code), order.join(" ")).toBeLessThan(order.indexOf(later.code));
  await expect(row(sooner.code).locator(".late")).toHaveCount(0);

  const passed =
    Date.parse(sooner.expectedDelivery) - (await page.evaluate(() => Date.now())) + 12.5 * 60_000;
  const { tones } = await recorded();
  await context.setOffline(true);
  await page.clock.fastForward(passed);
  await expect(row(sooner.code).getByText("atrasado 12 min")).toBeVisible();
  await expect(row(later.code).locator(".late")).toHaveCount(0);
  await screenshot(page, "orders-late");
  // The clerk is alerted, and the title counts the late order.
  const alerts = [`O pedido ${sooner.code} está atrasado.`, "pedidos estão atrasados."];
  const isAlerted = async () =>
    (await recorded()).shown.some((text) => alerts.some((one) => text.includes(one)));
  await expect.poll(isAlerted).toBe(true);
  await expect.poll(async () => (await recorded()).tones).toBe(tones + 2);
  expect(await page.title()).toMatch(/^\(\d+\) /);
  await context.setOffline(false);

  // A promised time on another day has a date.
  await goTo(page, `/orders/${sooner.id}`);
  await expect(
    page.locator(".heading").getByText(/prometido .*\d\d:\d\d, atrasado 1[23] min/),
  ).toBeVisible();
  await goTo(page, `/orders/${later.id}`);
  await expect(
    page.locator(".heading").getByText(/prometido .*\d\d:\d\d, em \d+ min/),
  ).toBeVisible();
});

/** An order that stays in preparation, paid in cash at the door. */
const preparing = () =>
  create({
    preparationTime: 120,
    deliveries: [
      {
        name: "Maria Silva",
        phone: "+5511990000201",
        onlinePayment: false,
        productValue: 42.5,
        payment: { method: "CASH", changeFor: 50 },
        address: DOOR,
      },
    ],
  });

test("an order is ready in one click, which can be undone for five seconds", async () => {
  const made = await preparing();
  await goTo(page, "/orders");
  const own = row(made.code);
  await expect(own.locator(".payment")).toContainText(/42,50.*troco.*7,50/);
  const ready = own.getByRole("button", { name: `Pronto: ${made.code}` });
  const undo = own.getByRole("button", { name: /^Desfazer/ });
  await ready.click();
  await undo.click();
  await ready.click();
  await expect(undo).toBeVisible();
  await screenshot(page, "orders-undo");
  await undo.click();
  await page.clock.runFor(6_000);
  await expect(ready).toBeVisible();
  expect((await store.api("GET", `/delivery/orders/${made.id}`)).body.situation).toBe(110);

  // With the keyboard, the focus stays on the order.
  await own.getByRole("link").focus();
  await page.keyboard.press("p");
  await expect(undo).toBeVisible();
  await page.clock.runFor(6_000);
  await expect(own.getByRole("button")).toHaveCount(0);
  await expect(own.locator(".badge")).not.toHaveText("Em preparo");
});

test("what was just marked as ready is sent when the page is left", async () => {
  const made = await preparing();
  await goTo(page, "/orders");
  await row(made.code).getByRole("button").click();
  await page.goto("about:blank");
  await until(
    () => store.api("GET", `/delivery/orders/${made.id}`),
    ({ body }) => body.situation !== 110,
  );
});

test.afterEach(() => store.retire());

/** Continues with a store whose orders nobody carries. */
async function useStoreWithoutCouriers(open: () => Promise<Page>): Promise<void> {
  await store.retire();
  store = await createStore({ sandbox: false });
  page = await open();
  await page.clock.install();
  await logIn(page, store);
  store.key = (await sessionOf(page)).key;
}

test("open orders are a board, which this device remembers", async ({ open }) => {
  await useStoreWithoutCouriers(open);
  const [first, second] = [await preparing(), await preparing()];
  await goTo(page, "/orders");
  await page.getByRole("button", { name: "Quadro" }).click();
  const column = (name: string) => page.getByRole("region", { name: new RegExp(`^${name}`) });
  const card = (of: Body) => page.locator(`.board-card[data-order="${of.id}"]`);
  await expect(column("Preparo").locator(card(first))).toContainText(/Maria Silva.*42,50/);
  await expect(column("Preparo").locator(card(second))).toBeVisible();
  await card(second)
    .getByRole("button", { name: /^Pronto/ })
    .click();
  await page.clock.runFor(6_000);
  await expect(column("Pronto").locator(card(second))).toBeVisible();

  const focused = page.locator(".board-card:has(:focus)");
  await card(first).getByRole("link").focus();
  await page.keyboard.press("ArrowRight");
  await expect(focused).toHaveAttribute("data-order", String(second.id));
  await page.keyboard.press("ArrowLeft");
  await expect(focused).toHaveAttribute("data-order", String(first.id));
  expect(await defectsEverywhere(page, "board")).toEqual([]);

  await page.reload();
  await expect(card(first)).toBeVisible();
  await page.keyboard.press("k");
  await expect(focused).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.locator(".timeline").first()).toBeVisible();
});

test("late orders and those without a courier are counted and filtered", async ({ open }) => {
  await useStoreWithoutCouriers(open);
  const [waiting, searching] = [await preparing(), await create()];
  await goTo(page, "/orders");
  await expect(row(waiting.code)).toBeVisible();
  const tab = (name: RegExp) => page.locator(".filters .tabs").getByRole("button", { name });
  await expect(tab(/^Sem entregador 1$/)).toBeVisible();
  await tab(/^Sem entregador/).click();
  await expect(row(searching.code)).toBeVisible();
  await expect(row(waiting.code)).toHaveCount(0);
  await tab(/^Atrasados 0$/).click();
  await expect(page.getByText("Nenhum pedido para mostrar.")).toBeVisible();
});
