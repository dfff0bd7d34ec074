// Helpers of the courier's app: a courier with the app open, an order of the demo store, and the steps of a whole trip.
import assert from "node:assert/strict";
import { courier, open, request, uniqueCode, until } from "./browser.mjs";

export const PHONE = { width: 390, height: 844 };
/** The table of steps that a trip with two stops, a payment, a failed delivery and a return has. */
export const TRIP = [
  "arrive",
  "pickup",
  "en-route",
  "at-door",
  "deliver",
  "en-route",
  "at-door",
  "fail",
  "at-return",
  "hand-back",
];

let key = null;

/** Sends a request as the demo store. */
export async function merchant(method, to, body) {
  if (key === null) {
    const login = { email: "matriz@demo.despacho.example", password: "despacho-demo" };
    key = (await request("", "POST", "/delivery/sessions", login)).body.value;
  }
  return request(key, method, to, body);
}

/** Opens the app of a new courier, signed in by a link, with the phone at a place. `prepare` is called before. */
export async function openApp(browser, name, place, { prepare, ...options } = {}) {
  const rider = await courier(name);
  const opened = await open(browser, {
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    permissions: ["geolocation"],
    geolocation: { latitude: place.latitude, longitude: place.longitude },
    ...options,
  });
  const { context, page } = opened;
  if (prepare !== undefined) await prepare(opened);
  await page.goto(await rider.link());
  await page.waitForSelector("[data-testid=duty], [data-testid=stop]");
  // The app is stored on the device when its worker is active. It then opens without a network.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  const close = async () => {
    await rider.stop();
    await context.close();
  };
  return { ...opened, rider, close };
}

/** Creates an order and waits until the courier of a test has it. */
export async function allocated(pickup, deliveries, extra = {}) {
  const made = await merchant("POST", "/delivery/orders", {
    code: uniqueCode("APP"),
    pickupAddress: pickup,
    deliveries,
    ...extra,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await until(
    () => merchant("GET", `/delivery/orders/${made.body.id}`),
    ({ body }) => body.situation === 210,
  );
  return made.body;
}

/** Two deliveries: one with a payment and a code, and one that the courier brings back. */
export const orderFor = (city, pickup, doors) => [
  { ...city, ...pickup },
  [
    {
      name: "Ana Lima",
      phone: "+5511990000201",
      onlinePayment: false,
      productValue: 89.9,
      observation: "Portão azul, interfone 12",
      address: { ...city, ...doors[0] },
      confirmation: { platform: true },
    },
    {
      name: "Bruno Reis",
      phone: "+5511990000202",
      onlinePayment: true,
      address: { ...city, ...doors[1] },
    },
  ],
];

const testId = (page, id) => page.locator(`[data-testid="${id}"]`);

/** Waits until the app shows the next step by the label of its large button. */
export const nextIs = (page, label) => testId(page, "next").filter({ hasText: label }).waitFor();

/**
 * Cuts the network, also during a reload: Chromium's emulation ends with the old document and begins in the new one after its first
 * requests, so that a request of either can reach the server. Returns a function that reconnects.
 */
export async function cutNetwork(page) {
  const cut = () => {
    const send = globalThis.fetch;
    globalThis.isCut = true;
    globalThis.fetch = (...all) =>
      globalThis.isCut ? Promise.reject(new TypeError("no network")) : send(...all);
  };
  await page.context().setOffline(true);
  await page.evaluate(cut);
  await page.addInitScript(cut);
  return async () => {
    await page.evaluate(() => (globalThis.isCut = false));
    await page.context().setOffline(false);
  };
}

/** Waits until all steps are sent. */
export const queueEmpty = (page) =>
  page.waitForSelector("[data-testid=queue][data-waiting='0']", { state: "attached" });

/** Takes one step of [`TRIP`] by touch, with an optional photo. */
export async function takeStep(page, kind, order, picture) {
  if (kind === "fail") {
    await testId(page, "more").click();
    await testId(page, "do-fail").click();
    await page.getByText("Destinatário ausente").click();
  } else {
    await testId(page, "next").click();
  }
  if (!["pickup", "deliver", "fail", "hand-back"].includes(kind)) return;
  const form = testId(page, `form-${kind}`);
  await form.waitFor();
  if (kind === "pickup") await page.fill("#step-code", order.pickupCode);
  if (kind === "hand-back") await page.fill("#step-code", await returnCode(order.id));
  if (kind === "deliver") {
    await page.fill("#step-code", order.deliveries[0].deliveryCode);
    await page.check("#step-paid");
  }
  if (picture !== undefined) {
    await page.locator("summary").click();
    await page.setInputFiles("#step-photo", picture);
    await form.locator(".photos img").waitFor();
  }
  await testId(page, "submit").click();
  await form.waitFor({ state: "detached" });
}

export const returnCode = async (id) =>
  (await merchant("GET", `/delivery/orders/${id}`)).body.returnCode;

/** The state of the app that follows each step: the label of the next one. */
export const AFTER = {
  pt: [
    "Pedido coletado",
    "Sair para a entrega",
    "Cheguei",
    "Pedido entregue",
    "Sair para a entrega",
    "Cheguei",
    "Pedido entregue",
    "Voltei à coleta",
    "Pedido devolvido",
    null,
  ],
};

/** Waits until the app shows the state after a step. */
export async function stepTaken(page, at) {
  const label = AFTER.pt[at];
  if (label === null) await testId(page, "duty").waitFor();
  else await nextIs(page, new RegExp(`^${label}$`));
}

/** The end of an order: its statuses and its events, without the estimates that depend on the time. */
export async function result(id) {
  const { body } = await merchant("GET", `/delivery/orders/${id}`);
  const stops = new Map(body.deliveries.map((one, at) => [one.id, at]));
  return {
    situation: body.situation,
    deliveries: body.deliveries.map((one) => one.situation),
    events: body.events
      .filter((one) => one.type !== "order.eta_changed")
      .map((one) => `${one.type} ${stops.get(one.deliveryId) ?? ""} ${one.reason ?? ""}`.trim()),
  };
}

/** A photo as a phone's camera takes it: larger than the app sends, and with metadata. */
export async function photo(page) {
  const bytes = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(2000, 1500);
    const context = canvas.getContext("2d");
    context.fillStyle = "#17595f";
    context.fillRect(0, 0, 2000, 1500);
    context.fillStyle = "#ffc56b";
    context.fillRect(500, 400, 900, 700);
    return [
      ...new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg" })).arrayBuffer()),
    ];
  });
  const exif = Buffer.from(
    `ffe10018457869660000${Buffer.from("GPS -22.89 -43.1").toString("hex")}`,
    "hex",
  );
  return {
    name: "foto.jpg",
    mimeType: "image/jpeg",
    buffer: Buffer.concat([Buffer.from(bytes.slice(0, 2)), exif, Buffer.from(bytes.slice(2))]),
  };
}
