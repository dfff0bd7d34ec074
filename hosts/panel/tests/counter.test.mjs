// The work at a counter: lateness, typing aids, shortcuts, attention, printing and import. The tests share one login.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { encode } from "uqr";
import {
  VERGUEIRO,
  api,
  axeViolations,
  fillAddress,
  goTo,
  launch,
  logIn,
  open,
  outsideMap,
  printed,
  screenshot,
  sendOrder,
  uniqueCode,
} from "./browser.mjs";

let browser;
let page;
let context;
let pageErrors;
before(async () => {
  browser = await launch();
  ({ page, context, pageErrors } = await open(browser));
  await page.clock.install();
  await context.grantPermissions(["notifications"]);
  // The test records what the browser would show and play.
  await page.addInitScript(() => {
    globalThis.shown = [];
    globalThis.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...times) {
      globalThis.tones += 1;
      return start.apply(this, times);
    };
    globalThis.Notification = class extends Notification {
      constructor(title, options) {
        super(title, options);
        globalThis.shown.push(options.body);
      }
    };
    // A test prints the sheet itself.
    globalThis.print = () => (globalThis.prints = (globalThis.prints ?? 0) + 1);
    // A headless page always has the focus.
    document.hasFocus = () => false;
  });
  await logIn(page);
  await page.waitForSelector(".connection.live");
});
after(() => browser.close());

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

async function create(order = {}) {
  const deliveries = [
    { name: "Maria Silva", phone: "+5511990000201", onlinePayment: true, address: DOOR },
  ];
  const made = await api(page, "POST", "/delivery/orders", {
    code: uniqueCode("BALCAO"),
    previewDeliveryTime: true,
    pickupAddress: PICKUP,
    deliveries,
    ...order,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

const row = (code) => page.locator(".orders tbody tr", { hasText: code });

test("phones and CEPs are accepted as typed", async () => {
  await goTo(page, "/orders/new");
  await page.waitForFunction(() => document.activeElement?.id === "f-code");
  const phone = page.locator("#f-deliveries-0-phone");
  for (const typed of [
    "11 98765-4321",
    "(11) 98765-4321",
    "+55 11 98765 4321",
    "5511987654321",
    "011987654321",
  ]) {
    await phone.fill(typed);
    await phone.blur();
    assert.equal(await phone.inputValue(), "(11) 98765-4321", typed);
  }
  const zip = page.locator("#f-deliveries-0-address-zipCode");
  await zip.pressSequentially("01504000");
  assert.equal(await zip.inputValue(), "01504-000");
  await page.fill("#f-preparationTime", "25");
  await page.fill("#f-code", uniqueCode("FONE"));
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await sendOrder(page);
  await page.waitForSelector(".timeline");
  await page.locator(".stops").getByText("(11) 98765-4321").waitFor();
  const id = (await page.evaluate(() => location.hash)).split("/").at(-1);
  const { body } = await api(page, "GET", `/delivery/orders/${id}`);
  assert.equal(body.deliveries[0].phone, "+5511987654321");
  await api(page, "POST", "/delivery/orders/cancel", { orderId: body.id });
});

test("next order code and usual preparation time are suggested", async () => {
  const number = Date.now() % 1e9;
  await goTo(page, "/orders");
  const made = await create({ code: String(number) });
  await row(made.code).waitFor();
  await goTo(page, "/orders/new");
  assert.equal(await page.inputValue("#f-code"), String(number + 1));
  assert.equal(await page.inputValue("#f-preparationTime"), "25");
  // An edited code stays, also after a reload without a network.
  await page.fill("#f-code", "");
  await page.reload();
  await page.waitForSelector("#f-code");
  await row(made.code).waitFor({ state: "detached" });
  assert.equal(await page.inputValue("#f-code"), "");
  await page.getByRole("button", { name: "Limpar" }).click();
  await page.waitForFunction(
    (expected) => document.querySelector("#f-code").value === expected,
    String(number + 1),
  );
  await api(page, "POST", "/delivery/orders/cancel", { orderId: made.id });
});

test("typing mistakes cause no request, even if the server computes the prices", async () => {
  // The response of a server with data that the page lacks.
  await page.route("**/preview-context", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), exact: false } });
  });
  await goTo(page, "/orders");
  await page.reload();
  await page.waitForSelector("#title");
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith(".wasm")),
    goTo(page, "/orders/new"),
  ]);
  await page.fill("#f-code", uniqueCode("CONTATO"));
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  let requests = 0;
  const count = (request) =>
    (requests += request.method() === "POST" && request.url().endsWith("/delivery/orders") ? 1 : 0);
  page.on("request", count);
  await sendOrder(page);
  await page.locator("#f-deliveries-0-phone-error").getByText("telefone ou e-mail").waitFor();
  await page.fill("#f-deliveries-0-phone", "12");
  await sendOrder(page);
  await page.locator("#f-deliveries-0-phone-error").getByText("com DDD").waitFor();
  await page.locator("#f-deliveries-0-confirmation-platform").uncheck();
  assert.equal(await page.locator("#f-deliveries-0-email").count(), 0);
  assert.equal(requests, 0);
  page.off("request", count);
  assert.equal(await page.locator("[data-source=page]").count(), 0);
  await page.getByRole("button", { name: "Limpar" }).click();
  await page.unrouteAll({ behavior: "wait" });
  await page.reload();
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
  await page.locator("#f-requirements-weightGrams-error").getByText("VUC").waitFor();
  await page.fill("#f-requirements-weightGrams", "25,5");
  await page.fill("#f-requirements-packages", "3");
  await page.locator("#f-requirements-container").check();
  await page.locator("#f-requirements-weightGrams-error").waitFor({ state: "detached" });
  await sendOrder(page);
  await page.getByRole("heading", { level: 1, name: code }).waitFor();
  await page.locator(".facts").getByText("25,5").waitFor();
  const { body } = await api(page, "GET", `/delivery/orders?code=${code}`);
  assert.deepEqual(body.orders[0].requirements, {
    vehicle: ["CAR"],
    weightGrams: 25_500,
    volumeMillilitres: null,
    packages: 3,
    container: "THERMIC",
    cardMachine: false,
  });
  await api(page, "POST", "/delivery/orders/cancel", { orderId: body.orders[0].id });
});

test("the store's usual preparation time is suggested in a new order", async () => {
  await goTo(page, "/settings");
  const form = page.locator("[data-testid=hours]");
  const save = form.locator("button[type=submit]");
  await form.locator("#f-preparationTime").fill("1441");
  await save.click();
  await form.locator("#f-preparationTime-error").waitFor();
  await form.locator("#f-preparationTime").fill("35");
  await save.click();
  await form.locator("#f-preparationTime-error").waitFor({ state: "detached" });
  await goTo(page, "/orders/new");
  await page.waitForFunction(() => document.querySelector("#f-preparationTime")?.value === "35");
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#f-preparationTime")?.value === "35");
  await goTo(page, "/settings");
  await form.locator("#f-preparationTime").fill("");
  await save.click();
  await page.waitForFunction(() => document.querySelector("[data-testid=hours] .invalid") === null);
  await goTo(page, "/orders/new");
  await page.waitForFunction(() => document.querySelector("#f-preparationTime")?.value !== "35");
});

test("window of a delivery is checked, kept in the draft and shown", async () => {
  await goTo(page, "/orders/new");
  const code = uniqueCode("JANELA");
  const [from, until] = ["from", "until"].map((name) =>
    page.locator(`#f-deliveries-0-window-${name}`),
  );
  const fillIn = async (typed) => {
    await page.fill("#f-code", typed);
    await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
    await page.locator("#f-deliveries-0-confirmation-platform").uncheck();
  };
  await fillIn(code);
  await page.locator("fieldset summary", { hasText: "Janela de entrega" }).click();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await from.fill(`${tomorrow}T20:00`);
  await page.locator("#f-deliveries-0-window-until-error").waitFor();
  await until.fill(`${tomorrow}T19:00`);
  await page
    .locator("#f-deliveries-0-window-until-error")
    .getByText("A janela precisa terminar depois do início.")
    .waitFor();
  await until.fill(`${tomorrow}T21:00`);
  await page.locator("#f-deliveries-0-window-until-error").waitFor({ state: "detached" });
  await page.reload();
  assert.deepEqual(
    [await from.inputValue(), await until.inputValue()],
    [`${tomorrow}T20:00`, `${tomorrow}T21:00`],
  );
  // A field that the user clears does not close its section.
  await from.fill("");
  await until.fill("");
  assert.equal(await from.isVisible(), true);

  // The preparation takes longer than the window allows: the error belongs to both times.
  const local = (minutes) =>
    new Date(Date.now() + (minutes - 180) * 60_000).toISOString().slice(0, 16);
  await from.fill(local(5));
  await until.fill(local(10));
  await page.fill("#f-preparationTime", "60");
  await page.locator("#f-deliveries-0-window-error").waitFor();
  await sendOrder(page);
  await page.locator(".error-box .link", { hasText: "Janela de entrega: " }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "f-deliveries-0-window");
  assert.deepEqual(await axeViolations(page), []);

  await page.fill("#f-preparationTime", "0");
  await from.fill(`${tomorrow}T20:00`);
  await until.fill(`${tomorrow}T21:00`);
  await sendOrder(page);
  await page.getByRole("heading", { level: 1, name: code }).waitFor();
  await page
    .locator(".stops")
    .getByText(/entre \d\d\/\d\d\/\d{4},? 20:00 e 21:00/)
    .waitFor();
  const { body } = await api(page, "GET", `/delivery/orders?code=${code}`);
  const { window } = body.orders[0].deliveries[0];
  assert.deepEqual(
    [window.from, window.until].map(Date.parse),
    ["20:00", "21:00"].map((time) => Date.parse(`${tomorrow}T${time}-03:00`)),
  );
  await goTo(page, "/orders");
  await page
    .locator(".orders tr", { hasText: code })
    .locator(".due")
    .getByText("20:00 e 21:00")
    .waitFor();
  await api(page, "POST", "/delivery/orders/cancel", { orderId: body.orders[0].id });
});

test("price names the missing field, and is marked while estimated", async () => {
  await goTo(page, "/orders/new");
  const reason = page.getByTestId("price-reason");
  const zip = page.locator("#f-deliveries-0-address-zipCode");
  await reason.getByText("Informe o CEP, ou a cidade e o estado").waitFor();
  await zip.fill("0150");
  await reason.getByText("oito dígitos").waitFor();
  await zip.fill("");
  await page.fill("#f-deliveries-0-address-city", "São Paulo");
  await reason.getByText("Escolha o estado").waitFor();
  await page.selectOption("#f-deliveries-0-address-state", "SP");
  await page.locator(".estimate").getByText("valor estimado").waitFor();
  await page
    .locator(".estimate")
    .getByText(/entre R\$\s[\d,]+ e R\$\s[\d,]+/)
    .waitFor();
  await page.getByRole("button", { name: "Adicionar entrega" }).click();
  await reason.getByText("não inclui todas as entregas. Entrega 2: Informe o CEP").waitFor();
  await page.getByRole("button", { name: "Remover a entrega 2" }).click();
  // The buttons have the same place with and without a price.
  const submit = page.locator("form.create button[type=submit]");
  const withPrice = await submit.boundingBox();
  await page.fill("#f-deliveries-0-address-city", "");
  await page.waitForFunction(
    () => document.querySelector("[data-testid=price]").textContent === "—",
  );
  assert.deepEqual(await submit.boundingBox(), withPrice);
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await page.locator(".estimate").waitFor({ state: "detached" });
  await page.fill("#f-deliveries-0-address-latitude", "95");
  await reason.getByText(/campos inválidos: ./).waitFor();

  // On a phone, the buttons are below the price.
  await page.fill("#f-deliveries-0-address-latitude", "");
  await page.fill("#f-deliveries-0-address-longitude", "");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction(() =>
    /R\$/.test(document.querySelector("[data-testid=price]").textContent),
  );
  const [price, button] = await Promise.all(
    [page.getByTestId("price"), page.locator(".create-price .button.primary")].map((one) =>
      one.boundingBox(),
    ),
  );
  assert.ok(price.y + price.height <= button.y, JSON.stringify({ price, button }));
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole("button", { name: "Limpar" }).click();
});

test("shortcuts work, but not while typing", async () => {
  await goTo(page, "/orders");
  const { code } = await create();
  await row(code).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  await page.locator("#title").focus();
  await page.keyboard.press("j");
  const first = await page.locator(".row-link").first().innerText();
  assert.equal(await focused(), first);
  await page.keyboard.press("j");
  assert.notEqual(await focused(), first);
  await page.keyboard.press("k");
  assert.equal(await focused(), first);
  // A row keeps its place when it loses the focus.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("k");
  assert.equal(await focused(), first);
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    (expected) => document.querySelector("#title").textContent.includes(expected),
    first,
  );
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await page.waitForFunction(() => location.hash === "#/balance");
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
  await page.waitForFunction(() => document.activeElement?.type === "search");
  await page.keyboard.type("?ngb");
  assert.match(await page.evaluate(() => location.hash), /^#\/orders(\?|$)/);
  assert.equal(await page.locator("input[type=search]").inputValue(), "?ngb");
  await page.locator("input[type=search]").fill("");
  await page.locator("#title").focus();
  await page.keyboard.press("?");
  const help = page.locator("dialog[open]");
  await help.getByText("Próximo pedido da lista").waitFor();
  await page.keyboard.press("n");
  await help.getByText("Usar estes atalhos").click();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("n");
  assert.equal(await page.evaluate(() => location.hash), "#/orders", "shortcuts are switched off");
  await page.keyboard.press("?");
  await help.getByText("Usar estes atalhos").click();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.waitForFunction(
    () => location.hash === "#/orders/new" && document.activeElement?.id === "f-code",
  );
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
  const made = await create({ deliveries });
  await goTo(page, `/orders/${made.id}`);
  const print = async (button) => {
    const before = await page.evaluate(() => globalThis.prints ?? 0);
    await page.getByRole("button", { name: button }).click();
    await page.waitForFunction((prints) => globalThis.prints > prints, before);
    await page.emulateMedia({ media: "print" });
    return (await page.locator("main").innerText()).replaceAll("\u00A0", " ");
  };
  /** Returns the sizes of the pages of a PDF in millimetres, without the order of its objects. */
  const sizes = async (name) => {
    await page.emulateMedia({ media: null });
    const pdf = await printed(page, name);
    await page.locator(".print-sheet").waitFor({ state: "detached" });
    return [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map((box) =>
      [box[1], box[2]].map((points) => Math.round((points / 72) * 25.4)),
    );
  };

  const label = await print("Imprimir etiqueta");
  assert.equal(await page.locator(".label").count(), 2);
  for (const expected of [
    made.code,
    "Maria Silva",
    "João Pereira",
    "Receber",
    "R$ 57,90",
    "dinheiro, troco de R$ 42,10",
    "Pago",
  ])
    assert.ok(label.includes(expected), expected);
  for (const secret of ["COLETA7", ...made.deliveries.map((stop) => stop.deliveryCode)])
    assert.ok(!label.split(/\s+/).includes(secret), secret);
  // The code leads to the order in the panel, which needs the store's session, and not to the recipient's page.
  const { data } = encode(`${new URL(page.url()).origin}/#/orders/${made.id}`, {
    ecc: "M",
    border: 2,
  });
  const squares = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  for (const path of await page.locator(".label-qr path").all())
    assert.equal(await path.getAttribute("d"), squares);
  for (const one of await page.locator(".label").all()) {
    assert.ok(
      await one.evaluate((element) => element.scrollHeight <= element.clientHeight + 1),
      "the label is cut off",
    );
  }
  assert.deepEqual(await sizes("print.label"), [
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
    assert.ok(receipt.includes(expected), expected);
  assert.doesNotMatch(receipt, /Cancelar pedido/);
  await page.emulateMedia({ media: null });
  // The hidden sheet is as wide as the paper.
  const height = await page
    .locator(".print-sheet")
    .evaluate((element) => (element.getBoundingClientRect().height / 96) * 25.4);
  const [paper, ...others] = await sizes("print.receipt");
  assert.deepEqual(others, []);
  assert.equal(paper[0], 80);
  assert.ok(
    paper[1] >= height + 8 && paper[1] <= height + 11,
    `${paper[1]} mm for ${height} mm and the margins`,
  );
  await api(page, "POST", "/delivery/orders/cancel", { orderId: made.id });
});

test("map shows the whole circle of an approximate location", async () => {
  const address = { street: "Rua Augusta", number: "1508", city: "São Paulo", state: "SP" };
  const made = await create({
    pickupAddress: undefined,
    preparationTime: 30,
    deliveries: [{ name: "Maria Silva", address }],
  });
  await goTo(page, `/orders/${made.id}`);
  await page.locator(".map .approximate").waitFor();
  assert.deepEqual(await outsideMap(page), []);
  await api(page, "POST", "/delivery/orders/cancel", { orderId: made.id });
});

test("import shows every error first, and resumes after a lost network", async () => {
  await goTo(page, "/orders/import");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Baixar um modelo" }).click(),
  ]);
  const [head, example] = (await readFile(await file.path(), "utf8")).split("\r\n");
  assert.match(head, /^\uFEFFcodigo;destinatario;telefone;/);
  const codes = [1, 2, 3].map(() => uniqueCode("CSV"));
  const line = (code, changes = {}) => {
    const cells = example.split(";");
    cells[0] = code;
    for (const [at, cell] of Object.entries(changes)) cells[at] = cell;
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
  const posts = [];
  const onRequest = (request) =>
    request.method() === "POST" &&
    request.url().endsWith("/delivery/orders") &&
    posts.push(request.postDataJSON().code);
  page.on("request", onRequest);
  await page.setInputFiles("#f-file", {
    name: "pedidos.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(text),
  });
  await page.getByText("2 pedidos para criar").waitFor();
  await page.getByText("2 linhas têm erros").waitFor();
  const rows = page.locator(".import-rows tbody tr");
  assert.match(await rows.nth(2).innerText(), /pago: Use sim ou não\.[\s\S]*telefone: /);
  assert.match(await rows.nth(3).innerText(), /codigo: O código já está na linha 2\./);
  assert.match(await rows.nth(0).innerText(), /Pronta[\s\S]*R\$/);
  assert.deepEqual(posts, [], "an order was created before the user confirmed");
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
  await page.getByText("Aguardando conexão. Depois, a importação continua.").waitFor();
  await page.unroute("**/delivery/orders");
  await page.reload();
  await page.getByRole("button", { name: "Retomar: falta 1 pedido" }).click();
  await page.getByText("2 de 2 pedidos criados.").waitFor();
  page.off("request", onRequest);
  for (const code of codes.slice(0, 2)) {
    const { body } = await api(page, "GET", `/delivery/orders?code=${code}`);
    assert.equal(body.orders.length, 1, code);
    assert.equal(body.orders[0].deliveries[0].phone, "+5511987654321");
    const loads = { [codes[0]]: [["CAR", "VUC"], 22_000], [codes[1]]: [[], 2_500] };
    assert.deepEqual(
      [body.orders[0].requirements.vehicle, body.orders[0].requirements.weightGrams],
      loads[code],
    );
    if (code === codes[1])
      assert.deepEqual(
        [body.orders[0].deliveries[0].observation, body.orders[0].deliveries[0].productValue],
        ['Portão "azul"; fundos', 1057.9],
      );
    await api(page, "POST", "/delivery/orders/cancel", { orderId: body.orders[0].id });
  }
  // The lines with errors remain, to be corrected.
  await page.getByRole("button", { name: "Nova importação" }).click();
  const left = (await page.inputValue("#f-csv")).trim().split("\n");
  assert.deepEqual(
    left.map((one) => one.split(";")[0]),
    ["codigo", codes[2], codes[0]],
  );
  await page.fill("#f-csv", "destinatario,cep\nMaria,01504-000");
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await page.locator(".field.invalid #f-csv").waitFor();
  assert.match(await page.textContent("#f-csv-error"), /code/);
  await page.setInputFiles("#f-file", {
    name: "pedidos.csv",
    mimeType: "text/csv",
    buffer: Buffer.alloc(1_000_001, "a"),
  });
  await page.locator(".field.invalid #f-file").waitFor();
  assert.equal(await page.textContent("#f-file-error"), "O arquivo tem mais de 1 MB.");
  const many = ["code", ...Array.from({ length: 201 }, (_, at) => String(at))].join("\n");
  await page.fill("#f-csv", many);
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await page.locator("#f-csv-error").getByText("Há 201 linhas").waitFor();
  // A stopped check can be continued.
  await page.route("**/delivery/orders/preview", (route) => route.abort());
  await page.fill(
    "#f-csv",
    text.split("\r\n").slice(0, 2).join("\n").replace(codes[0], uniqueCode("CSV")),
  );
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await rows.getByText("Conferindo…").waitFor();
  await page.getByRole("button", { name: "Parar" }).click();
  await rows.getByText("Não conferida").waitFor();
  await page.unroute("**/delivery/orders/preview");
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await page.getByText("1 pedido para criar").waitFor();
  await page.getByRole("button", { name: "Nova importação" }).click();

  // A spreadsheet without UTF-8, with a comma and a quoted decimal comma.
  const old = Buffer.from(
    `code,name,zip,street,number,city,state,value\n${uniqueCode("CSV")},João,01504-000,Rua Vergueiro,1000,São Paulo,SP,"1,50"`,
    "latin1",
  );
  await page.setInputFiles("#f-file", { name: "orders.csv", mimeType: "text/csv", buffer: old });
  await page.getByText("1 pedido para criar").waitFor();
  await rows.getByText("João").waitFor();
  await page.getByRole("button", { name: "Nova importação" }).click();

  // A spreadsheet in UTF-16 with tabs and a line that names the separator.
  const cells = ["codigo", "destinatario", "cep", "rua", "numero", "cidade", "uf", "valor"];
  const utf16 = (lines) => Buffer.from(`\uFEFF${lines.join("\r\n")}`, "utf16le");
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
  await page.getByText("2 pedidos para criar").waitFor();
  await rows.getByText("Inês").first().waitFor();
  await page.getByRole("button", { name: "Nova importação" }).click();
  // Without another number, a tab does not show the decimal mark.
  await page.setInputFiles("#f-file", {
    name: "pedidos.txt",
    mimeType: "text/plain",
    buffer: utf16([cells.join("\t"), made.join("\t")]),
  });
  await rows.getByText("R$ 1.200 pode significar milhares ou milésimos.").waitFor();
  await page.getByRole("button", { name: "Nova importação" }).click();
  await page.fill("#f-csv", `${cells.join(";")}\n${made.join(";")}\n2;"Rui;;;;;;\n3;Eva;;;;;;`);
  await page.getByRole("button", { name: "Conferir as linhas" }).click();
  await page.locator("#f-csv-error").getByText("Na linha 3, uma aspa").waitFor();
  await page.fill("#f-csv", "");
});

test("alerts are opt-in, and typing mistakes cause none", async () => {
  await goTo(page, "/settings");
  const alerts = page.getByTestId("attention");
  await alerts.getByLabel("Tocar um som").check();
  await alerts.getByLabel("Mostrar notificações").check();
  // The browser confirms its permission later.
  await page.waitForFunction(
    () =>
      localStorage.getItem("despacho.attention") === JSON.stringify({ sound: true, browser: true }),
  );

  // Only the server can reject a used code; the form shows this to the clerk.
  const made = await create();
  await goTo(page, "/orders/new");
  await page.fill("#f-code", made.code);
  await page.fill("#f-deliveries-0-phone", "11987654321");
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await sendOrder(page);
  await page.getByText("Já existe um pedido com este código.").waitFor();
  await Promise.all([
    page.waitForResponse(/\/delivery\/notifications(\?|$)/),
    page.clock.fastForward(30_000),
  ]);
  await page.evaluate(() => new Promise(requestAnimationFrame));
  assert.deepEqual(
    await page.evaluate(
      (code) => globalThis.shown.filter((text) => text.includes(code)),
      made.code,
    ),
    [],
  );
  const { body } = await api(page, "GET", "/delivery/notifications");
  assert.deepEqual(
    body.notifications.filter((one) => one.orderCode === made.code),
    [],
  );
  await page.getByRole("button", { name: "Limpar" }).click();
  await api(page, "POST", "/delivery/orders/cancel", { orderId: made.id });
});

// The last test that uses the page, because it advances the clock.
test("late orders come first, without a request", async () => {
  const later = await create({ preparationTime: 120 });
  const sooner = await create({ preparationTime: 60 });
  await goTo(page, "/orders");
  for (const { code } of [later, sooner]) await row(code).waitFor();
  const codes = () => page.locator(".orders .row-link").allInnerTexts();
  const order = await codes();
  assert.ok(order.indexOf(sooner.code) < order.indexOf(later.code), order.join(" "));
  assert.equal(await row(sooner.code).locator(".late").count(), 0);

  const passed =
    Date.parse(sooner.expectedDelivery) - (await page.evaluate(() => Date.now())) + 12.5 * 60_000;
  const tones = await page.evaluate(() => globalThis.tones);
  await context.setOffline(true);
  await page.clock.fastForward(passed);
  await row(sooner.code).getByText("atrasado 12 min").waitFor();
  assert.equal(await row(later.code).locator(".late").count(), 0);
  await screenshot(page, "orders-late");
  // The clerk is alerted, and the title counts the late order.
  const alerts = [`O pedido ${sooner.code} está atrasado.`, "pedidos estão atrasados."];
  await page.waitForFunction(
    (expected) => globalThis.shown.some((one) => expected.some((text) => one.includes(text))),
    alerts,
  );
  assert.equal(await page.evaluate(() => globalThis.tones), tones + 2);
  assert.match(await page.title(), /^\(\d+\) /);
  await context.setOffline(false);

  // A promised time on another day has a date.
  await goTo(page, `/orders/${sooner.id}`);
  await page
    .locator(".heading")
    .getByText(/prometido .*\d\d:\d\d, atrasado 1[23] min/)
    .waitFor();
  await goTo(page, `/orders/${later.id}`);
  await page
    .locator(".heading")
    .getByText(/prometido .*\d\d:\d\d, em \d+ min/)
    .waitFor();
  for (const { id } of [later, sooner])
    await api(page, "POST", "/delivery/orders/cancel", { orderId: id });
});

test("pages have no errors", () => {
  assert.deepEqual(pageErrors, []);
});
