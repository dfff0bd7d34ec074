// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Preview } from "./api/wire";
import { change, clearDraft, draft, emptyDelivery } from "./order-draft";
import { PriceChangedError, checkOrder, sendOrder } from "./order-send";

type Answer = (path: string, body: Record<string, unknown>) => Response | Promise<Response>;
interface Sent {
  path: string;
  body: Record<string, unknown>;
  key: string | null;
}

const NOW = Date.parse("2026-11-30T12:00:00Z");
let sent: Sent[] = [];
let answer: Answer;
const phases: string[] = [];

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
const quote = (id: string, seconds: number) => ({
  id,
  expiresAt: new Date(NOW + seconds * 1000).toISOString(),
});
/** The price that the user sees. */
const shown = (deliveryFee: number, seconds: number) => ({
  preview: { deliveryFee, quote: quote("shown", seconds) } as Preview,
  source: "page" as const,
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  [sent, phases.length] = [[], 0];
  clearDraft();
  change({
    code: "A-1",
    deliveries: [
      {
        ...emptyDelivery(),
        phone: "(11) 98765-4321",
        address: { ...emptyDelivery().address, zipCode: "01504-000" },
      },
    ],
  });
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const { pathname } = new URL(url);
    const body = JSON.parse(String(init.body));
    const key = new Headers(init.headers).get("idempotency-key");
    sent.push({ path: pathname, body, key });
    return answer(pathname, body);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const send = (quotation: ReturnType<typeof shown> | null) =>
  sendOrder(draft.value, quotation, new AbortController().signal, (phase) => phases.push(phase));
const paths = () => sent.map((one) => one.path);

test("the order is created with the quote of the price that is shown", async () => {
  answer = () => json({ id: 7 }, 201);
  expect(await send(shown(10, 600))).toEqual({ id: 7 });
  expect(sent).toMatchObject([
    { path: "/delivery/orders", body: { code: "A-1", quoteId: "shown" } },
  ]);
});

test("a quote that is about to expire is replaced by one of the same price", async () => {
  answer = (path) =>
    path.endsWith("/preview")
      ? json({ deliveryFee: 10, quote: quote("new", 900) })
      : json({ id: 7 });
  await send(shown(10, 19));
  expect(paths()).toEqual(["/delivery/orders/preview", "/delivery/orders"]);
  expect(sent[1]?.body.quoteId).toBe("new");
});

test("at another price nothing is created until the user has seen it", async () => {
  answer = () => json({ deliveryFee: 10.5, quote: quote("new", 900) });
  const error = await send(shown(10, 0)).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(PriceChangedError);
  expect((error as PriceChangedError).quoted.preview.deliveryFee).toBe(10.5);
  expect(paths()).toEqual(["/delivery/orders/preview"]);
});

test("an order whose price is not known is sent, so that the API names what it lacks", async () => {
  answer = () => json({ id: 7 });
  await send(null);
  change({ deliveries: [...draft.value.deliveries, emptyDelivery()] });
  await send(shown(10, 0));
  expect(paths()).toEqual(["/delivery/orders", "/delivery/orders"]);
  for (const { body } of sent) expect(body).not.toHaveProperty("quoteId");
});

test("a preview that is rejected leaves the reason to the order", async () => {
  answer = (path) =>
    path.endsWith("/preview") ? json({ code: "out_of_area", status: 422 }, 422) : json({ id: 7 });
  await send(shown(10, 0));
  expect(paths()).toEqual(["/delivery/orders/preview", "/delivery/orders"]);
});

test("after a lost network the order is sent again with the same key", async () => {
  let failures = 0;
  answer = () => {
    failures += 1;
    if (failures > 3) return json({ id: 7 }, 201);
    // The browser tells that the network is back while the client waits between its attempts.
    if (failures === 3) setTimeout(() => dispatchEvent(new Event("online")));
    return Promise.reject(new TypeError("network"));
  };
  expect(await send(shown(10, 600))).toEqual({ id: 7 });
  expect(new Set(sent.map((one) => one.key)).size).toBe(1);
  expect(phases).toEqual(["sending", "waiting", "sending"]);
});

test("a missing contact is an error before anything is sent", async () => {
  await checkOrder(draft.value);
  change({ deliveries: [{ ...emptyDelivery(), phone: "" }] });
  await expect(checkOrder(draft.value)).rejects.toMatchObject({
    fields: [{ pointer: "/deliveries/0/phone", code: "required" }],
  });
  expect(sent).toEqual([]);
});
