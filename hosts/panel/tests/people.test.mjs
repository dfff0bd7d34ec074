// One order with three people at once: the merchant's panel, the courier's app and the recipient's page. Each sees the others'
// actions without a reload.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BASE,
  api,
  goTo,
  launch,
  open,
  openLoggedIn,
  screenshot,
  uniqueCnpj,
  uniqueCode,
  until,
} from "./browser.mjs";
import { openApp, photo, queueEmpty } from "./courier-app.mjs";

/** An action that is seen only later was missed by push and poll. The printed times are the measurement: other work on the machine delays them. */
const SEEN_MS = 8_000;

const NITEROI = {
  street: "Rua da Conceição",
  number: "100",
  city: "Niterói",
  state: "RJ",
  zipCode: "24020-080",
  latitude: -22.8936,
  longitude: -43.1236,
};
const ICARAI = {
  street: "Rua Gavião Peixoto",
  number: "80",
  city: "Niterói",
  state: "RJ",
  latitude: -22.9045,
  longitude: -43.1101,
};

let browser;
before(async () => {
  browser = await launch();
});
const seen = [];
after(async () => {
  await browser.close();
  for (const { what, took } of seen)
    console.log(`${what.padEnd(52)} ${String(Math.round(took)).padStart(5)} ms`);
});

/** Waits until all watchers see an action, and records the time since it began. */
async function within(what, watchers, since = Date.now()) {
  const times = await Promise.all(
    Object.entries(watchers).map(async ([who, watch]) => {
      await watch();
      return { what: `${what}, seen by ${who}`, took: Date.now() - since };
    }),
  );
  seen.push(...times);
  for (const { what: text, took } of times) assert.ok(took <= SEEN_MS, `${text} after ${took} ms`);
}

const testId = (page, id) => page.locator(`[data-testid="${id}"]`);

/** Creates a branch, so that its settings do not affect the orders of other tests. */
async function branch(panel) {
  const made = await api(panel, "POST", "/delivery/stores", {
    name: "Filial Niterói",
    cnpj: uniqueCnpj(),
    email: `${uniqueCode("filial").toLowerCase()}@demo.despacho.example`,
    password: "senha-de-teste",
    currentPassword: "despacho-demo",
    responsible: { name: "Bia Rocha", phone: "+552130000000" },
    address: NITEROI,
    marketplaceBranchId: 1,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return Number(made.body.storeId);
}

/** Sets the tracking and proof policies in the panel. */
async function setPolicies(panel, store) {
  await panel.reload();
  await goTo(panel, "/settings");
  await panel.selectOption("#f-store", String(store));
  const tracking = testId(panel, "tracking");
  await tracking.getByLabel("Criar um link para cada entrega").check();
  await tracking.getByLabel("Deixar na portaria").check();
  await panel.fill("#f-contact-name", "Balcão");
  await tracking.getByRole("button", { name: "Salvar" }).click();
  await panel.getByText("Configurações salvas.").waitFor();
  const proof = testId(panel, "proof-policy");
  const delivery = proof.locator("fieldset", { hasText: "Entrega" }).first();
  await delivery.getByLabel("Foto").check();
  await delivery.getByLabel("Nome").check();
  await proof.getByRole("button", { name: "Salvar" }).click();
  await until(
    () => api(panel, "GET", `/delivery/stores/${store}/proofs`),
    ({ body }) => body.rules.length === 1,
  );
  const saved = await api(panel, "GET", `/delivery/stores/${store}/tracking`);
  assert.deepEqual(
    [saved.body.enabled, saved.body.choices, saved.body.contact.name],
    [true, ["DOORMAN"], "Balcão"],
  );
}

/** Returns the bytes of a stored photo as text. */
async function photoText(panel, id) {
  const key = await panel.evaluate(
    () => JSON.parse(sessionStorage.getItem("despacho.session")).key,
  );
  const response = await fetch(`${BASE}/delivery/photos/${id}`, {
    headers: { "x-api-token": key },
  });
  assert.equal(response.headers.get("content-type"), "image/jpeg");
  return Buffer.from(await response.arrayBuffer()).toString("latin1");
}

test("merchant, courier and recipient see one another's actions", async () => {
  const merchant = await openLoggedIn(browser);
  const panel = merchant.page;
  const store = await branch(panel);
  await setPolicies(panel, store);
  const {
    page: app,
    rider,
    pageErrors: appErrors,
    close,
  } = await openApp(browser, "Rita Souza", NITEROI);
  await goTo(panel, "/orders");
  await panel.waitForSelector(".connection.live");

  const made = await api(panel, "POST", "/delivery/orders", {
    code: uniqueCode("TRES"),
    store: { userPlatformId: store },
    deliveries: [
      {
        name: "Ana Lima",
        phone: "+5521990000201",
        address: ICARAI,
        confirmation: { platform: true },
      },
    ],
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, code, pickupCode } = made.body;
  await within("order created", {
    merchant: () => panel.locator(".orders tr", { hasText: code }).waitFor(),
  });
  const { trackingUrl } = made.body.deliveries[0];
  const { page: recipient, context: recipientContext } = await open(browser, {
    viewport: { width: 390, height: 844 },
  });
  // The courier is assigned after the response with the page and before its stream of changes.
  let openStream;
  const assigned = new Promise((resolve) => (openStream = resolve));
  await recipient.route("**/t/*/events", (route) => assigned.then(() => route.continue()));
  await recipient.goto(BASE + new URL(trackingUrl).pathname);
  const state = (text) => () => recipient.locator("#live h1", { hasText: text }).waitFor();

  await goTo(panel, `/orders/${id}`);
  const badge = (text) => () => panel.locator(".heading .badge", { hasText: text }).waitFor();
  const { body: given } = await until(
    () => api(panel, "GET", `/delivery/orders/${id}`),
    ({ body }) => body.situation === 210,
  );
  const allocatedAt = Date.parse(
    given.events.find((one) => one.type === "order.allocated").createdAt,
  );
  await within(
    "courier assigned",
    {
      courier: () => testId(app, "stop").waitFor(),
      merchant: () => panel.locator(".heading", { hasText: "Rita Souza" }).waitFor(),
    },
    allocatedAt,
  );
  openStream();
  await state("O entregador está buscando")();
  assert.equal(await panel.locator(".tracking a").getAttribute("href"), trackingUrl);

  await testId(app, "next").click();
  await within("courier at the pickup", { merchant: badge("Entregador na coleta") });
  await testId(app, "next").click();
  await app.fill("#step-code", pickupCode);
  await testId(app, "submit").click();
  await within("goods picked up", {
    merchant: badge("Saiu para entrega"),
    recipient: state("O entregador está com seu pedido"),
  });
  await app.waitForSelector("dialog[open]", { state: "detached" });
  await testId(app, "next").click();
  await within("courier on the way", {
    merchant: () => panel.locator(".stops .badge", { hasText: "A caminho" }).waitFor(),
    recipient: state("Seu pedido está a caminho"),
  });
  assert.match(await recipient.locator("#live").innerText(), /Rita/);
  assert.doesNotMatch(
    await recipient.locator("body").innerText(),
    /Souza/,
    "the recipient sees the first name only",
  );

  await recipient
    .getByRole("button", { name: "Portaria" })
    .or(recipient.locator("button[value=DOORMAN]"))
    .first()
    .click();
  await within("recipient's choice", {
    courier: () => app.locator(".notice", { hasText: "Deixar na portaria" }).waitFor(),
    merchant: () => panel.locator(".notice", { hasText: "Deixar na portaria" }).waitFor(),
  });
  await screenshot(recipient, "people-recipient");
  await testId(app, "next").click();
  await within("courier at the door", {
    merchant: () => panel.locator(".stops .badge", { hasText: "Na porta" }).waitFor(),
    recipient: state("O entregador chegou"),
  });

  // The recipient reads the code on the page and gives it to the courier. A photo and a name are required too.
  const deliveryCode = await recipient.locator("#live .code b").innerText();
  await testId(app, "next").click();
  await app.fill("#step-code", "ERRADO");
  await testId(app, "submit").click();
  await app.getByText("Tire uma foto.").waitFor();
  await app.setInputFiles("#step-photo", await photo(app));
  await app.locator(".photos img").waitFor();
  await app.fill("#step-name", "Seu José");
  // The form of the trip's last step stays open if the service rejects it, with the photo.
  await testId(app, "submit").click();
  await app.locator("dialog .error.box").filter({ hasText: "Código incorreto" }).waitFor();
  await app.fill("#step-code", deliveryCode);
  await screenshot(app, "people-proof");
  await testId(app, "submit").click();
  await within("goods delivered", {
    merchant: badge("Entregue"),
    recipient: state("Seu pedido foi entregue"),
  });
  await queueEmpty(app);
  await testId(app, "duty").waitFor();

  const proofs = testId(panel, "proofs");
  await proofs.getByText("Recebido por Seu José").waitFor();
  await proofs.locator("img.photo").waitFor();
  assert.deepEqual(
    await proofs
      .locator("img.photo")
      .evaluate((image) => [image.naturalWidth, image.naturalHeight]),
    [1280, 960],
  );
  const { body: proven } = await api(panel, "GET", `/delivery/orders/${id}`);
  assert.doesNotMatch(
    await photoText(panel, proven.proofs[0].photos[0].photoId),
    /GPS/,
    "the photo has metadata",
  );
  const [download] = await Promise.all([
    panel.waitForEvent("download"),
    proofs.getByRole("button", { name: "Baixar comprovante assinado" }).click(),
  ]);
  assert.match(download.suggestedFilename(), new RegExp(`despacho-${id}\\.html`));

  await recipient.locator("input[name=stars][value='5']").check();
  await recipient.fill("textarea[name=text]", "Muito rápido");
  await recipient.getByRole("button", { name: "Enviar avaliação" }).click();
  await within("rating", {
    merchant: () => panel.locator(".stops", { hasText: "Avaliação: 5 de 5" }).waitFor(),
  });
  await screenshot(panel, "people-merchant");
  assert.deepEqual(appErrors, []);
  assert.deepEqual(merchant.pageErrors, []);
  await rider.stop();
  await close();
  await recipientContext.close();
  await merchant.context.close();
});
