// <despacho-preview> in pages with plain HTML, React and Vue, in a browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  NOW,
  axeViolations,
  context,
  createPreviewer,
  events,
  launch,
  open,
  result,
  screenshot,
  serve,
  shows,
} from "./shop.mjs";

const money = (amount) =>
  new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" }).format(amount);
const ELEMENT = "despacho-preview";
const TAG = (
  attributes,
) => `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><despacho-preview ${attributes}></despacho-preview></main>
<script type="module">import "./despacho/preview-element.js";</script></html>`;

let browser;
let shop;
let previewer;
before(async () => {
  const pages = {
    "/english.html": TAG(`context-url="./context.json" locale="en"`),
    "/bare.html": TAG(""),
    "/unavailable.html": TAG(`context-url="./missing" locale="en"`),
  };
  [browser, shop, previewer] = await Promise.all([
    launch(),
    serve(pages),
    createPreviewer(context, { language: "pt-BR" }),
  ]);
});
after(async () => {
  await browser?.close();
  shop?.close();
});

/** Returns the preview of the package in Node.js. */
const preview = (address, more = {}) =>
  previewer.preview(
    { previewDeliveryTime: true, ...more, deliveries: [{ address }] },
    { now: NOW },
  );
const fee = (address, more) => preview(address, more).deliveryFee;
const clock = (time) =>
  new Date(time).toLocaleTimeString("pt-BR", {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "America/Sao_Paulo",
  });
const CEP = "05407-002";

async function opened(file, options) {
  const { page, errors } = await open(browser, `${shop.base}/${file}`, options);
  await page.getByLabel("CEP").waitFor();
  return {
    page,
    errors,
    close: async () => {
      assert.deepEqual(errors, []);
      await page.context().close();
    },
  };
}

for (const file of ["plain.html", "react/index.html", "vue/index.html"]) {
  test(`postcode shows the price and the total in ${file}`, async () => {
    const { page, close } = await opened(file);
    await shows(page, "Informe o CEP");
    await page.getByLabel("CEP").pressSequentially("05407002");
    const {
      deliveryFee: price,
      deliveryFeeMin: min,
      deliveryFeeMax: max,
      ...times
    } = preview({ zipCode: CEP }, { preparationTime: 20 });
    await shows(page, money(price));
    await page.locator("output", { hasText: money(57.9 + price) }).waitFor();
    assert.equal(await page.getByLabel("Cidade").inputValue(), "São Paulo");
    assert.equal(await page.getByLabel("Estado").inputValue(), "SP");
    const text = await result(page);
    for (const part of [
      `entre ${money(min)} e ${money(max)}`,
      `Coleta prevista: ${clock(times.expectedPickup)}`,
      `Entrega prevista: ${clock(times.expectedDelivery)}`,
      "informe também: número e rua",
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    await page.getByLabel("CEP").fill("69900-000");
    await shows(page, "Fora da área");
    await page.locator("output", { hasText: money(57.9) }).waitFor();
    await close();
  });
}

test("invalid address shows the reason and reports typed details", async () => {
  const { page, close } = await opened("plain.html");
  await page.getByLabel("CEP").fill("69900-000");
  await shows(page, "o máximo é 40 km");
  const [error] = await events(page, "despacho-error");
  assert.deepEqual(
    [error.code, error.errors[0].field, error.errors[0].pointer],
    ["out_of_area", null, "/deliveries/0/address"],
  );
  assert.equal(error.problem.status, 422);
  await page.getByLabel("CEP").fill("0130");
  await page.getByLabel("CEP").blur();
  await page.getByText("O CEP tem oito dígitos").waitFor();
  assert.equal(await page.getByLabel("CEP").getAttribute("aria-invalid"), "true");
  await page.getByLabel("CEP").fill("");
  await page.getByLabel("Cidade").fill("Lugar Nenhum");
  await page.getByLabel("Estado").selectOption("SP");
  await shows(page, "Município desconhecido");
  await page.getByLabel("Rua").fill("R".repeat(255));
  assert.equal((await events(page, "despacho-change")).at(-1).address.street.length, 255);
  await close();
});

test("typed digits get a hyphen and the caret keeps its position", async () => {
  const { page, close } = await opened("bare.html");
  const cep = page.getByLabel("CEP");
  await cep.pressSequentially("0a1304001");
  assert.equal(await cep.inputValue(), "01304-001");
  await cep.evaluate((input) => input.setSelectionRange(2, 2));
  await page.keyboard.press("Backspace");
  assert.equal(await cep.inputValue(), "03040-01");
  assert.equal(await cep.evaluate((input) => input.selectionStart), 1);
  await page.keyboard.type("1");
  assert.equal(await cep.inputValue(), "01304-001");
  await close();
});

test("city of the customer is kept when the postcode changes", async () => {
  const { page, close } = await opened("plain.html");
  await page.getByLabel("Cidade").fill("Osasco");
  await page.getByLabel("Estado").selectOption("SP");
  await shows(page, money(fee({ city: "Osasco", state: "SP" })));
  await page.getByLabel("CEP").fill(CEP);
  await shows(page, "Este CEP é de São Paulo (SP)");
  assert.equal(await page.getByLabel("Cidade").inputValue(), "Osasco");
  await close();
});

test("properties set the context, the pickup and the address", async () => {
  const { page, close } = await opened("bare.html");
  const pickup = { city: "Osasco", state: "SP" };
  await page.evaluate(
    ([given, pickupAddress, zipCode]) => {
      Object.assign(document.querySelector("despacho-preview"), {
        context: given,
        pickup: pickupAddress,
        address: { zipCode },
        order: { requirements: { packages: 2 } },
      });
    },
    [context, pickup, CEP],
  );
  await shows(page, money(fee({ zipCode: CEP }, { pickupAddress: pickup })));
  await page.evaluate(() =>
    document.querySelector("despacho-preview").setAttribute("preparation-time", "1441"),
  );
  await shows(page, "1440");
  assert.equal((await events(page, "despacho-error")).at(-1).errors[0].pointer, "/preparationTime");
  await page.evaluate(() =>
    Object.assign(document.querySelector("despacho-preview"), {
      preparationTime: 60,
      locale: "en",
    }),
  );
  await shows(
    page,
    `Expected pickup: ${clock(preview({ zipCode: CEP }, { pickupAddress: pickup, preparationTime: 60 }).expectedPickup)}`,
  );
  await close();
});

test("form is submitted only with a price and a complete address", async () => {
  const { page, close } = await opened("plain.html");
  await page.getByLabel("CEP").fill(CEP);
  await shows(page, "R$");
  await page.getByRole("button", { name: "Pedir" }).click();
  assert.equal(new URL(page.url()).search, "");
  await page.getByLabel("Número").fill("1500");
  await page.getByLabel("Rua").fill("Rua Augusta");
  await page.getByLabel("Rua").press("Enter");
  await page.waitForURL(/delivery\.zipCode/);
  const sent = new URL(page.url()).searchParams;
  assert.equal(sent.get("delivery.street"), "Rua Augusta");
  assert.equal(sent.get("delivery.deliveryFee"), fee({ zipCode: CEP }).toFixed(2));
  await close();
});

test("failed context can be loaded again", async () => {
  const { page, close } = await opened("unavailable.html");
  await shows(page, "could not be loaded");
  assert.equal((await events(page, "despacho-error"))[0].code, "context_unavailable");
  await page.getByLabel("CEP").fill(CEP);
  await page.route("**/missing", (route) => route.fulfill({ json: context }));
  await page.getByRole("button", { name: "Try again" }).click();
  await shows(page, "Delivery");
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  await close();
});

test("expired context is loaded again from its URL", async () => {
  let requests = 0;
  const { page, close } = await opened("bare.html");
  await page.route("**/context", (route) => {
    requests += 1;
    const validUntil = new Date(NOW.getTime() + (requests === 1 ? 1000 : 86_400_000)).toISOString();
    return route.fulfill({ json: { ...context, validUntil } });
  });
  await page.evaluate((element) => {
    document.querySelector(element).contextUrl = "./context";
  }, ELEMENT);
  await shows(page, "Informe o CEP");
  await page.clock.setFixedTime(new Date(NOW.getTime() + 2000));
  await page.getByLabel("CEP").fill(CEP);
  await shows(page, money(fee({ zipCode: CEP })));
  assert.equal(requests, 2);
  await close();
});

test("keyboard reaches every field in the order of the page", async () => {
  const { page, close } = await opened("plain.html");
  const reached = [];
  for (let index = 0; index < 8; index += 1) {
    await page.keyboard.press("Tab");
    reached.push(
      await page.evaluate(
        () =>
          document.activeElement.shadowRoot?.activeElement.name ??
          document.activeElement.textContent,
      ),
    );
  }
  assert.deepEqual(reached, [
    "zipCode",
    "number",
    "street",
    "complement",
    "neighborhood",
    "city",
    "state",
    "Pedir",
  ]);
  await close();
});

const LOOKS = [
  ["phone-light", { viewport: { width: 360, height: 740 } }],
  ["phone-dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
  ["desktop-light", { viewport: { width: 1280, height: 800 } }],
  ["desktop-dark", { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }],
];
for (const [name, options] of LOOKS) {
  test(`page is accessible and fits on ${name}`, async () => {
    const { page, close } = await opened("plain.html", options);
    for (const [state, postcode] of [
      ["empty", ""],
      ["price", CEP],
      ["error", "69900-000"],
      ["short", "0130"],
    ]) {
      await page.getByLabel("CEP").fill(postcode);
      await page.getByLabel("CEP").blur();
      await shows(
        page,
        { empty: "Informe", price: "Entrega prevista", error: "Fora da área", short: "Informe" }[
          state
        ],
      );
      await screenshot(page, `${name}-${state}`);
      assert.deepEqual(await axeViolations(page), [], state);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0, `${state}: horizontal overflow in px`);
    }
    await close();
  });
}

test("English texts are accessible", async () => {
  const { page, close } = await opened("english.html");
  await page.getByLabel("CEP").fill(CEP);
  await shows(page, "Expected delivery");
  await screenshot(page, "english");
  assert.deepEqual(await axeViolations(page), []);
  await close();
});

test("custom properties change the look", async () => {
  const { page, close } = await opened("bare.html");
  await page.addStyleTag({
    content:
      "despacho-preview { --despacho-field: rgb(1, 2, 3); --despacho-radius: 3px; --despacho-font: 20px serif; }",
  });
  const look = await page.getByLabel("CEP").evaluate((input) => {
    const { backgroundColor, borderTopLeftRadius, fontSize } = getComputedStyle(input);
    return [backgroundColor, borderTopLeftRadius, fontSize];
  });
  assert.deepEqual(look, ["rgb(1, 2, 3)", "3px", "20px"]);
  await close();
});
