// One order with three people at once: the merchant's panel, the courier's app and the recipient's page. Each sees the others'
// actions without a reload.
import { BASE, sessionOf, uniqueCode, until, type Body, type Store } from "./support/api";
import { photo, queueEmpty } from "./support/courier-app";
import { expect, test } from "./support/fixtures";
import { deferred, goTo, screenshot } from "./support/page";
import type { Page } from "@playwright/test";

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

/** The measured times, which the last test of a worker prints. */
const seen: { what: string; took: number }[] = [];
test.afterAll(() => {
  for (const { what, took } of seen)
    console.log(`${what.padEnd(52)} ${String(Math.round(took)).padStart(5)} ms`);
});

/** Waits until all watchers see an action, and records the time since it began. */
async function within(
  what: string,
  watchers: Record<string, () => Promise<unknown>>,
  since = Date.now(),
) {
  const times = await Promise.all(
    Object.entries(watchers).map(async ([who, watch]) => {
      await watch();
      return { what: `${what}, seen by ${who}`, took: Date.now() - since };
    }),
  );
  seen.push(...times);
  for (const { what: text, took } of times)
    expect(took, `${text} after ${took} ms`).toBeLessThanOrEqual(SEEN_MS);
}

const testId = (page: Page, id: string) => page.locator(`[data-testid="${id}"]`);

/** Sets the tracking and proof policies in the panel. */
async function setPolicies(panel: Page, store: Store, branch: number) {
  await panel.reload();
  await goTo(panel, "/settings");
  await panel.selectOption("#f-store", String(branch));
  const tracking = testId(panel, "tracking");
  await tracking.getByLabel("Criar um link para cada entrega").check();
  await tracking.getByLabel("Deixar na portaria").check();
  await panel.fill("#f-contact-name", "Balcão");
  await tracking.getByRole("button", { name: "Salvar" }).click();
  await expect(panel.getByText("Configurações salvas.")).toBeVisible();
  const proof = testId(panel, "proof-policy");
  const delivery = proof.locator("fieldset", { hasText: "Entrega" }).first();
  await delivery.getByLabel("Foto").check();
  await delivery.getByLabel("Nome").check();
  await proof.getByRole("button", { name: "Salvar" }).click();
  await until(
    () => store.api("GET", `/delivery/stores/${branch}/proofs`),
    ({ body }) => body.rules.length === 1,
  );
  const saved = await store.api("GET", `/delivery/stores/${branch}/tracking`);
  expect([saved.body.enabled, saved.body.choices, saved.body.contact.name]).toEqual([
    true,
    ["DOORMAN"],
    "Balcão",
  ]);
}

/** Returns the bytes of a stored photo as text. */
async function photoText(panel: Page, id: number) {
  const { key } = await sessionOf(panel);
  const response = await fetch(`${BASE}/delivery/photos/${id}`, {
    headers: { "x-api-token": key },
  });
  expect(response.headers.get("content-type")).toBe("image/jpeg");
  return Buffer.from(await response.arrayBuffer()).toString("latin1");
}

test("merchant, courier and recipient see one another's actions", async ({
  panel,
  store,
  open,
  openApp,
}) => {
  const branch = await store.branch("Filial Niterói", NITEROI);
  await setPolicies(panel, store, branch);
  const { page: app } = await openApp("Rita Souza", NITEROI);
  await goTo(panel, "/orders");
  await expect(panel.locator(".connection.live").first()).toBeVisible();

  const made = await store.api("POST", "/delivery/orders", {
    code: uniqueCode("TRES"),
    store: { userPlatformId: branch },
    deliveries: [
      {
        name: "Ana Lima",
        phone: "+5521990000201",
        address: ICARAI,
        confirmation: { platform: true },
      },
    ],
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id, code, pickupCode } = made.body;
  await within("order created", {
    merchant: () => expect(panel.locator(".orders tr", { hasText: code })).toBeVisible(),
  });
  const { trackingUrl } = made.body.deliveries[0];
  const shared = panel.getByRole("link", { name: "link de acompanhamento de Ana Lima" });
  const recipient = await open({ viewport: { width: 390, height: 844 } });
  // The courier is assigned after the response with the page and before its stream of changes.
  const { promise: assigned, resolve: openStream } = deferred();
  await recipient.route("**/t/*/events", (route) => assigned.then(() => route.continue()));
  await recipient.goto(BASE + new URL(trackingUrl).pathname);
  const state = (text: string) => () =>
    expect(recipient.locator("#live h1", { hasText: text })).toBeVisible();

  await goTo(panel, `/orders/${id}`);
  const chat = `https://wa.me/5521990000201?text=${encodeURIComponent(`Olá, Ana! Seu pedido ${code} de Filial Niterói foi recebido. Acompanhe aqui: ${trackingUrl}`)}`;
  await expect(shared).toHaveAttribute("href", chat);
  await expect(shared).toHaveAttribute("rel", "noopener");
  const badge = (text: string) => () =>
    expect(panel.locator(".heading .badge", { hasText: text })).toBeVisible();
  const { body: given } = await until(
    () => store.api("GET", `/delivery/orders/${id}`),
    ({ body }) => body.situation === 210,
  );
  const allocatedAt = Date.parse(
    given.events.find((one: Body) => one.type === "order.allocated").createdAt,
  );
  await within(
    "courier assigned",
    {
      courier: () => expect(testId(app, "stop")).toBeVisible(),
      merchant: () => expect(panel.locator(".heading", { hasText: "Rita Souza" })).toBeVisible(),
    },
    allocatedAt,
  );
  openStream();
  await state("O entregador está buscando")();
  await expect(panel.locator(".tracking a").first()).toHaveAttribute("href", trackingUrl);

  await testId(app, "next").click();
  await within("courier at the pickup", { merchant: badge("Entregador na coleta") });
  await testId(app, "next").click();
  await app.fill("#step-code", pickupCode);
  await testId(app, "submit").click();
  await within("goods picked up", {
    merchant: badge("Saiu para entrega"),
    recipient: state("O entregador está com seu pedido"),
  });
  await expect(app.locator("dialog[open]")).toHaveCount(0);
  await testId(app, "next").click();
  await within("courier on the way", {
    merchant: () => expect(panel.locator(".stops .badge", { hasText: "A caminho" })).toBeVisible(),
    recipient: state("Seu pedido está a caminho"),
  });
  await expect(recipient.locator("#live")).toHaveText(/Rita/, { useInnerText: true });
  await expect(recipient.locator("body"), "the recipient sees the first name only").not.toHaveText(
    /Souza/,
    { useInnerText: true },
  );

  await recipient
    .getByRole("button", { name: "Portaria" })
    .or(recipient.locator("button[value=DOORMAN]"))
    .first()
    .click();
  await within("recipient's choice", {
    courier: () => expect(app.locator(".notice", { hasText: "Deixar na portaria" })).toBeVisible(),
    merchant: () =>
      expect(panel.locator(".notice", { hasText: "Deixar na portaria" })).toBeVisible(),
  });
  await screenshot(recipient, "people-recipient");
  await testId(app, "next").click();
  await within("courier at the door", {
    merchant: () => expect(panel.locator(".stops .badge", { hasText: "Na porta" })).toBeVisible(),
    recipient: state("O entregador chegou"),
  });

  // The recipient reads the code on the page and gives it to the courier. A photo and a name are required too.
  const deliveryCode = await recipient.locator("#live .code b").innerText();
  await testId(app, "next").click();
  await app.fill("#step-code", "ERRADO");
  await testId(app, "submit").click();
  await expect(app.getByText("Tire uma foto.")).toBeVisible();
  await app.setInputFiles("#step-photo", await photo(app));
  await expect(app.locator(".photos img")).toBeVisible();
  await app.fill("#step-name", "Seu José");
  // The form of the trip's last step stays open if the service rejects it, with the photo.
  await testId(app, "submit").click();
  await expect(
    app.locator("dialog .error.box").filter({ hasText: "Código incorreto" }),
  ).toBeVisible();
  await app.fill("#step-code", deliveryCode);
  await screenshot(app, "people-proof");
  await testId(app, "submit").click();
  await within("goods delivered", {
    merchant: badge("Entregue"),
    recipient: state("Seu pedido foi entregue"),
  });
  await queueEmpty(app);
  await expect(testId(app, "duty")).toBeVisible();

  const proofs = testId(panel, "proofs");
  await expect(proofs.getByText("Recebido por Seu José")).toBeVisible();
  await expect(proofs.locator("img.photo")).toBeVisible();
  const size = () =>
    proofs
      .locator("img.photo")
      .evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
  await expect.poll(size).toEqual([1280, 960]);
  const { body: proven } = await store.api("GET", `/delivery/orders/${id}`);
  expect(
    await photoText(panel, proven.proofs[0].photos[0].photoId),
    "the photo has metadata",
  ).not.toMatch(/GPS/);
  const [download] = await Promise.all([
    panel.waitForEvent("download"),
    proofs.getByRole("button", { name: "Baixar comprovante assinado" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`despacho-${id}\\.html`));

  await recipient.locator("input[name=stars][value='5']").check();
  await recipient.fill("textarea[name=text]", "Muito rápido");
  await recipient.getByRole("button", { name: "Enviar avaliação" }).click();
  await within("rating", {
    merchant: () => expect(panel.locator(".stops", { hasText: "Avaliação: 5 de 5" })).toBeVisible(),
  });
  await screenshot(panel, "people-merchant");
});
