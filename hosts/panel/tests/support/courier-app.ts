/** Helpers of the courier's app: a courier with the app open, an order of the test's store, and the steps of a whole trip. */
import { expect, type BrowserContextOptions, type Locator, type Page } from "@playwright/test";
import { until, type Body, type Courier, type Point, type Store } from "./api";

export const PHONE = { width: 390, height: 844 };
/** The steps of a trip with two stops, a payment, a failed delivery and a return. */
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
] as const;
type Kind = (typeof TRIP)[number];

/** The label of the next step after each step; none after the last one. */
const AFTER = [
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
];

export interface App {
  page: Page;
  rider: Courier;
}

export interface AppOptions extends BrowserContextOptions {
  /** Is called before the app is opened. */
  prepare?: (page: Page) => Promise<void>;
}

/** The options of a phone at a place. */
export const phoneAt = ({ latitude, longitude }: Point): BrowserContextOptions => ({
  viewport: PHONE,
  hasTouch: true,
  isMobile: true,
  permissions: ["geolocation"],
  geolocation: { latitude, longitude },
});

/** Opens the app with a sign-in link. */
export async function openWithLink(page: Page, rider: Courier): Promise<void> {
  await page.goto(await rider.link());
  await expect(testId(page, "duty").or(testId(page, "stop")).first()).toBeVisible();
  // The app is stored on the device when its worker is active. It then opens without a network.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
}

/** Creates an order and waits until the courier of a test has it. */
export async function allocated(
  store: Store,
  pickupAddress: unknown,
  deliveries: unknown,
): Promise<Body> {
  const order = await store.order({ pickupAddress, deliveries, previewDeliveryTime: false });
  await store.orderWith(order.id, 210);
  return order;
}

/** An address in a city. */
export type Place = Point & Record<string, string | number>;

/** Two deliveries: one with a payment and a code, and one that the courier brings back. */
export const orderFor = (
  city: { city: string; state: string },
  pickup: Place,
  [first, second]: [Place, Place],
): [Place, Record<string, unknown>[]] => [
  { ...city, ...pickup },
  [
    {
      name: "Ana Lima",
      phone: "+5511990000201",
      onlinePayment: false,
      productValue: 89.9,
      observation: "Portão azul, interfone 12",
      address: { ...city, ...first },
      confirmation: { platform: true },
    },
    {
      name: "Bruno Reis",
      phone: "+5511990000202",
      onlinePayment: true,
      address: { ...city, ...second },
    },
  ],
];

export const testId = (page: Page, id: string): Locator => page.getByTestId(id);

/** Waits until the app shows the next step by the label of its large button. */
export const nextIs = (page: Page, label: string | RegExp): Promise<void> =>
  expect(testId(page, "next").filter({ hasText: label })).toBeVisible();

/**
 * Cuts the network, also during a reload: Chromium's emulation ends with the old document and begins in the new one after its first
 * requests, so that a request of either can reach the server. Returns a function that reconnects.
 */
export async function cutNetwork(page: Page): Promise<() => Promise<void>> {
  const cut = () => {
    const send = globalThis.fetch;
    Object.assign(globalThis, { isCut: true });
    globalThis.fetch = (...all) =>
      (globalThis as unknown as { isCut: boolean }).isCut
        ? Promise.reject(new TypeError("no network"))
        : send(...all);
  };
  await page.context().setOffline(true);
  await page.evaluate(cut);
  await page.addInitScript(cut);
  return async () => {
    await page.evaluate(() => void Object.assign(globalThis, { isCut: false }));
    await page.context().setOffline(false);
  };
}

/** Waits until a number of steps is not sent yet. */
export const queueHas = (page: Page, waiting: number): Promise<void> =>
  expect(testId(page, "queue")).toHaveAttribute("data-waiting", String(waiting));
/** Waits until all steps are sent. */
export const queueEmpty = (page: Page): Promise<void> => queueHas(page, 0);

type Picture = Awaited<ReturnType<typeof photo>>;

/** Takes one step of [`TRIP`] by touch, with an optional photo. */
export async function takeStep(
  page: Page,
  store: Store,
  kind: Kind,
  order: Body,
  picture?: Picture,
): Promise<void> {
  if (kind === "fail") {
    await testId(page, "more").click();
    await testId(page, "do-fail").click();
    await page.getByText("Destinatário ausente").click();
  } else {
    await testId(page, "next").click();
  }
  if (!["pickup", "deliver", "fail", "hand-back"].includes(kind)) return;
  const form = testId(page, `form-${kind}`);
  await expect(form).toBeVisible();
  if (kind === "pickup") await page.fill("#step-code", order.pickupCode);
  if (kind === "hand-back") await page.fill("#step-code", await returnCode(store, order.id));
  if (kind === "deliver") {
    await page.fill("#step-code", order.deliveries[0].deliveryCode);
    await page.check("#step-paid");
  }
  if (picture !== undefined) {
    await form.locator("summary").filter({ hasText: "comprovante" }).click();
    await page.setInputFiles("#step-photo", picture);
    await expect(form.locator(".photos img")).toBeVisible();
  }
  await testId(page, "submit").click();
  await expect(form).toHaveCount(0);
}

/** Returns the code of an order that is returned. */
export async function returnCode(store: Store, id: number): Promise<string> {
  const found = await until(
    () => store.api("GET", `/delivery/orders/${id}`),
    ({ body }) => typeof body.returnCode === "string",
  );
  return found.body.returnCode;
}

/** Waits until the app shows the state after a step. */
export async function stepTaken(page: Page, at: number): Promise<void> {
  const label = AFTER[at];
  if (label == null) await expect(testId(page, "duty")).toBeVisible();
  else await nextIs(page, new RegExp(`^${label}$`));
}

/** The end of an order: its statuses and its events, without the estimates that depend on the time. */
export async function result(store: Store, id: number) {
  const { body } = await store.api("GET", `/delivery/orders/${id}`);
  const stops = new Map(body.deliveries.map((one: Body, at: number) => [one.id, at]));
  const events: string[] = body.events
    .filter((one: Body) => one.type !== "order.eta_changed")
    .map((one: Body) =>
      `${one.type} ${stops.get(one.deliveryId) ?? ""} ${one.reason ?? ""}`.trim(),
    );
  const deliveries: number[] = body.deliveries.map((one: Body) => one.situation);
  return { situation: body.situation as number, deliveries, events };
}

/** A photo as a phone's camera takes it: larger than the app sends, and with metadata. */
export async function photo(page: Page) {
  const bytes = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(2000, 1500);
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("no canvas");
    context.fillStyle = "#17595f";
    context.fillRect(0, 0, 2000, 1500);
    context.fillStyle = "#ffc56b";
    context.fillRect(500, 400, 900, 700);
    const blob = await canvas.convertToBlob({ type: "image/jpeg" });
    return [...new Uint8Array(await blob.arrayBuffer())];
  });
  const gps = Buffer.from("GPS -22.89 -43.1").toString("hex");
  const exif = Buffer.from(`ffe10018457869660000${gps}`, "hex");
  const [head, rest] = [bytes.slice(0, 2), bytes.slice(2)].map((part) => Buffer.from(part));
  const buffer = Buffer.concat([head ?? Buffer.of(), exif, rest ?? Buffer.of()]);
  return { name: "foto.jpg", mimeType: "image/jpeg", buffer };
}
