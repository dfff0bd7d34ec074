/** Requests to the API beside the pages: what a test prepares, and what it compares a page with. */
import { expect, type Page } from "@playwright/test";
import { OPERATOR } from "./server";

/** A response's body, which a test compares field by field with what it expects. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what the server returns, which types would take for granted
export type Body = any;
export interface Reply {
  status: number;
  body: Body;
}

/** The address of the worker's server. Each worker is a process of its own. */
export let BASE = "";
export function useServer(url: string): void {
  BASE = url;
}

export const PASSWORD = "despacho-demo";
/** The login of the demo, which its pages fill in. */
export const DEMO_EMAIL = "matriz@demo.despacho.example";

export const VERGUEIRO = {
  street: "Rua Vergueiro",
  number: "1000",
  neighborhood: "Paraíso",
  city: "São Paulo",
  state: "SP",
  zipCode: "01504-000",
  latitude: -23.5712,
  longitude: -46.6401,
};

/** A place without orders of the demo, which could occupy the couriers of a test. */
export const JOINVILLE = {
  street: "Rua do Príncipe",
  number: "100",
  neighborhood: "Centro",
  city: "Joinville",
  state: "SC",
  zipCode: "89201-001",
  latitude: -26.3045,
  longitude: -48.8487,
};

/** The body of an order from there, which is ready, to a door nearby. */
export const orderInJoinville = (at = JOINVILLE) => ({
  preparationTime: 0,
  pickupAddress: at,
  deliveries: [
    {
      name: "Maria Silva",
      onlinePayment: true,
      address: { ...JOINVILLE, number: "900", latitude: -26.3101 },
    },
  ],
});

export interface Point {
  latitude: number;
  longitude: number;
}

/** Sends a request to the API with the given key. */
export async function request(
  key: string,
  method: string,
  to: string,
  body?: unknown,
  language = "pt-BR",
): Promise<Reply> {
  const response = await fetch(BASE + to, {
    method,
    headers: {
      "x-api-token": key,
      "accept-language": language,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

/** Sends a request that must succeed. */
export async function succeeds(...parts: Parameters<typeof request>): Promise<Body> {
  const done = await request(...parts);
  if (done.status >= 300) {
    throw new Error(`${parts[1]} ${parts[2]}: ${done.status} ${JSON.stringify(done.body)}`);
  }
  return done.body;
}

/** Sends a request as the operator. */
export const operator = (method: string, to: string, body?: unknown): Promise<Reply> =>
  request(OPERATOR, method, to, body);

/** Returns the session of a page of the panel. */
export const sessionOf = (page: Page): Promise<{ key: string; keyId: string; storeId: string }> =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session") ?? "null"));

/** Sends a request to the API with the key of the page's session. */
export async function api(page: Page, method: string, to: string, body?: unknown): Promise<Reply> {
  return request((await sessionOf(page)).key, method, to, body, "en");
}

/** Repeats a request until its response meets the condition, and returns that response. */
export async function until<T>(
  send: () => Promise<T>,
  condition: (found: T) => boolean,
  timeout = 60_000,
): Promise<T> {
  let found: T | undefined;
  await expect(async () => {
    found = await send();
    expect(condition(found), `condition not met, last response: ${JSON.stringify(found)}`).toBe(
      true,
    );
  }).toPass({ timeout, intervals: [100, 250] });
  return found as T;
}

/** A unique order code. */
export const uniqueCode = (prefix: string): string =>
  `${prefix}-${Date.now().toString(36)}-${Math.floor(Math.random() * 1e6).toString(36)}`.toUpperCase();

export const uniqueEmail = (prefix = "loja"): string =>
  `${uniqueCode(prefix)}@demo.despacho.example`.toLowerCase();

/** An unused CNPJ with valid check digits. */
export function uniqueCnpj(): string {
  const base = `${String(Math.floor(Math.random() * 1e8)).padStart(8, "0")}0001`;
  const digit = (text: string) => {
    const sum = [...text]
      .reverse()
      .reduce((total, one, at) => total + Number(one) * ((at % 8) + 2), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = digit(base);
  return `${base}${first}${digit(base + first)}`;
}

/** A parent store of one test. */
export interface Store {
  id: number;
  name: string;
  email: string;
  password: string;
  /** The key of the session that sends the requests: that of the panel, if the test opens it. */
  key: string;
  api: (method: string, to: string, body?: unknown, language?: string) => Promise<Reply>;
  /** Creates an order that is delivered at a fixed place, unless the fields say otherwise. */
  order: (fields?: Record<string, unknown>) => Promise<Body>;
  /** Returns an order when it has a status. */
  orderWith: (id: number, situation: number) => Promise<Body>;
  branch: (name: string, address?: Record<string, unknown>) => Promise<number>;
  /** Cancels the orders that no courier carries yet, so that the couriers of the next test get none of them, and disables the store. */
  retire: () => Promise<void>;
}

const storeBody = (name: string, address: Record<string, unknown>) => ({
  name,
  cnpj: uniqueCnpj(),
  email: uniqueEmail(),
  password: PASSWORD,
  responsible: { name: "Lia Reis", phone: "+551130000000" },
  address,
  marketplaceBranchId: 1,
});

/** Creates a parent store. The orders of a sandbox are carried by couriers that the server simulates, or by those of the test. */
export async function createStore({ sandbox = true } = {}): Promise<Store> {
  const own = { ...storeBody(uniqueCode("Cantina"), VERGUEIRO), sandbox };
  const { email, password, name } = own;
  const { storeId } = await succeeds(OPERATOR, "POST", "/admin/matrices", own);
  const { value: key } = await succeeds("", "POST", "/delivery/sessions", { email, password });
  const send: Store["api"] = (method, to, body, language = "en") =>
    request(store.key, method, to, body, language);
  const store: Store = {
    id: Number(storeId),
    name,
    email,
    password,
    key,
    api: send,
    order: (fields = {}) =>
      succeeds(key, "POST", "/delivery/orders", {
        code: uniqueCode("PEDIDO"),
        previewDeliveryTime: true,
        deliveries: [{ name: "Maria Silva", onlinePayment: true, address: VERGUEIRO }],
        ...fields,
      }),
    orderWith: async (id, situation) =>
      (
        await until(
          () => send("GET", `/delivery/orders/${id}`),
          ({ body }) => body.situation === situation,
        )
      ).body,
    branch: async (branch, address = VERGUEIRO) => {
      const body = { ...storeBody(branch, address), currentPassword: password };
      return Number((await succeeds(key, "POST", "/delivery/stores", body)).storeId);
    },
    retire: async () => {
      const { body } = await request(key, "GET", "/delivery/orders?open=true&limit=100");
      for (const { id } of body?.orders ?? []) {
        await request(key, "POST", "/delivery/orders/cancel", { orderId: id });
      }
      await operator("PATCH", `/admin/stores/${storeId}`, { disabled: true });
    },
  };
  return store;
}

/** A sandbox courier of a test. The server simulates no couriers while this one is available near the pickup. */
export interface Courier {
  id: number;
  key: string;
  send: (to: string, body?: unknown) => Promise<Body>;
  alter: (body: unknown) => Promise<Reply>;
  /** Returns a new sign-in link of the app. */
  link: () => Promise<string>;
  stop: () => Promise<unknown>;
}

export async function createCourier(name: string, at?: Point): Promise<Courier> {
  const { id, value: key } = await succeeds(OPERATOR, "POST", "/admin/couriers", {
    name,
    profileId: 1 + Math.floor(Math.random() * 1e9),
    phone: "+5551990000001",
    available: true,
    sandbox: true,
  });
  const send: Courier["send"] = (to, body = {}) => succeeds(key, "POST", `/courier/${to}`, body);
  const alter = (body: unknown) => operator("PATCH", `/admin/couriers/${id}`, body);
  if (at !== undefined) await send("position", { latitude: at.latitude, longitude: at.longitude });
  const link = async () =>
    `${BASE}/courier#${(await succeeds(OPERATOR, "POST", `/admin/couriers/${id}/sign-in`)).value}`;
  return { id, key, send, alter, link, stop: () => alter({ available: false }) };
}
