// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { emptyAddress } from "./address-draft";
import type { Order, OrderRow, Store } from "./api/wire";
import { chosenDay, rows } from "./live";
import {
  addressOf,
  change,
  changeAddress,
  changeDelivery,
  clearDraft,
  codeOf,
  draft,
  emptyDelivery,
  fillInKnown,
  formPointer,
  isUntouched,
  missingContacts,
  orderRequest,
  preparationOf,
  previewRequest,
  rememberOrder,
  repeatOrder,
  type DeliveryDraft,
} from "./order-draft";
import { branches, store } from "./session";

const STORE = { id: 7, matrix: null, address: { city: "Recife", state: "PE" } } as unknown as Store;
const NORONHA = {
  id: 8,
  matrix: 7,
  address: { city: "Fernando de Noronha", state: "PE" },
  preparationTime: 35,
} as unknown as Store;

beforeEach(() => {
  localStorage.clear();
  store.value = STORE;
  branches.value = [NORONHA];
  [rows.value, chosenDay.value] = [[], ""];
  clearDraft();
});

const row = (id: number, code: string, part: Partial<OrderRow> = {}) =>
  ({ id, code, storeId: 7, createdAt: new Date().toISOString(), ...part }) as OrderRow;

test("the suggested code follows the code of the day's newest order", () => {
  expect(codeOf(draft.value)).toMatch(/^\d{6}001$/);
  rows.value = [row(1, "0041"), row(3, "0042"), row(2, "0099"), row(4, "balcão")];
  expect(codeOf(draft.value)).toBe("0043");
  // A used number is passed over.
  rows.value = [...rows.value, row(2, "0043")];
  expect(codeOf(draft.value)).toBe("0044");
});

test("codes of other stores and other days are not continued", () => {
  rows.value = [
    row(1, "41"),
    row(2, "70", { storeId: 8 }),
    row(3, "90", { createdAt: "2026-01-02T15:00:00Z" }),
  ];
  expect(codeOf(draft.value)).toBe("42");
  change({ store: "8" });
  expect(codeOf(draft.value)).toBe("71");
});

test("without an order of today the code follows the last one of this device", () => {
  change({ code: "0107" });
  rememberOrder(draft.value);
  clearDraft();
  expect(codeOf(draft.value)).toBe("0108");
  // The list of another day says nothing about today.
  [rows.value, chosenDay.value] = [[row(9, "55")], "2026-01-02"];
  expect(codeOf(draft.value)).toBe("0108");
  change({ code: "A" });
  expect(codeOf(draft.value)).toBe("A");
});

test("a code with letters has no successor", () => {
  change({ code: "A-12" });
  rememberOrder(draft.value);
  clearDraft();
  expect(codeOf(draft.value)).toBe("");
});

test("the preparation is the typed one, the store's, the last one of this device, or none", () => {
  expect(preparationOf(draft.value)).toBe("0");
  change({ preparation: "20" });
  rememberOrder(draft.value);
  clearDraft();
  expect(preparationOf(draft.value)).toBe("20");
  change({ store: "8" });
  expect(preparationOf(draft.value)).toBe("35");
  change({ preparation: "5" });
  expect(preparationOf(draft.value)).toBe("5");
});

const delivery = (part: Partial<DeliveryDraft>): DeliveryDraft => ({
  ...emptyDelivery(),
  name: " Ana ",
  phone: " (11) 98765-4321 ",
  ...part,
});

/** The deliveries of the request that a draft becomes. */
function deliveries(...parts: Partial<DeliveryDraft>[]): Record<string, unknown>[] {
  change({ deliveries: parts.map(delivery) });
  return orderRequest(draft.value).deliveries as Record<string, unknown>[];
}

test("the smallest order has no field that is not filled in", () => {
  change({ code: " 42 " });
  expect(deliveries({})).toEqual([
    {
      name: "Ana",
      phone: "(11) 98765-4321",
      onlinePayment: true,
      confirmation: { platform: true },
      address: { city: "Recife", state: "PE" },
    },
  ]);
  const { deliveries: _, ...shared } = orderRequest(draft.value);
  expect(shared).toEqual({
    code: "42",
    preparationTime: 0,
    previewDeliveryTime: true,
    sortByBestRoute: false,
  });
});

test("a value is an amount in reais, and other text stays for the API", () => {
  const [typed, thousands, wrong, none] = deliveries(
    { value: "R$ 57,90" },
    { value: "1.200" },
    { value: "muito" },
    { value: " " },
  );
  expect(typed?.productValue).toBe(57.9);
  expect(thousands?.productValue).toBe(1200);
  expect(wrong?.productValue).toBe("muito");
  expect(none).not.toHaveProperty("productValue");
});

test("a payment at the door has a method, and only cash has change", () => {
  const [paid, unknown, cash, exact, card] = deliveries(
    { paid: true, payment: "CASH", change: "100" },
    { paid: false },
    { paid: false, payment: "CASH", change: "100" },
    { paid: false, payment: "CASH", change: " " },
    { paid: false, payment: "CARD_MACHINE", change: "100" },
  );
  expect(paid).toMatchObject({ onlinePayment: true });
  expect(paid).not.toHaveProperty("payment");
  expect(unknown).not.toHaveProperty("payment");
  expect(cash?.payment).toEqual({ method: "CASH", changeFor: 100 });
  expect(exact?.payment).toEqual({ method: "CASH" });
  expect(card?.payment).toEqual({ method: "CARD_MACHINE" });
});

test("an email is sent only for a delivery with a code", () => {
  const [withCode, without] = deliveries(
    { email: " ana@example.com " },
    { email: "ana@example.com", confirm: false },
  );
  expect(withCode?.email).toBe("ana@example.com");
  expect(without).not.toHaveProperty("email");
});

test("local times are those of the store of the session", () => {
  const [both, half, wrong] = deliveries(
    { from: "2026-11-30T18:00", until: "2026-11-30T19:30" },
    { until: "2026-11-30T19:30" },
    { from: "ontem", until: "2026-11-30T19:30" },
  );
  expect(both?.window).toEqual({
    from: "2026-11-30T21:00:00.000Z",
    until: "2026-11-30T22:30:00.000Z",
  });
  expect(half?.window).toEqual({ until: "2026-11-30T22:30:00.000Z" });
  expect(wrong?.window).toMatchObject({ from: "ontem" });
  change({ deliverAt: "2026-11-30T20:00" });
  expect(orderRequest(draft.value).deliverAt).toBe("2026-11-30T23:00:00.000Z");
});

test("another store, the load and the instructions are part of the order", () => {
  change({
    store: "8",
    best: true,
    preparation: "12",
    instructions: " Balcão 2 ",
    load: { vehicles: ["CAR"], weight: "2,5", volume: "", packages: "" },
  });
  expect(orderRequest(draft.value)).toMatchObject({
    store: { userPlatformId: 8 },
    sortByBestRoute: true,
    preparationTime: 12,
    pickupInstructions: "Balcão 2",
    requirements: { vehicle: ["CAR"], weightGrams: 2500 },
  });
  change({ store: "7" });
  expect(orderRequest(draft.value)).not.toHaveProperty("store");
});

test("a preview contains the deliveries that can be located, and their positions", () => {
  const located = { ...emptyAddress(), zipCode: "01504-000" };
  change({
    deliveries: [
      delivery({}),
      delivery({ address: located, paid: false }),
      delivery({ address: { ...emptyAddress(), number: "1" } }),
      delivery({ address: located, from: "2026-11-30T18:00" }),
    ],
  });
  const { body, stops } = previewRequest(draft.value);
  expect(stops).toEqual([1, 3]);
  expect(body.deliveries).toEqual([
    { address: { zipCode: "01504-000" }, onlinePayment: false },
    {
      address: { zipCode: "01504-000" },
      onlinePayment: true,
      window: { from: "2026-11-30T21:00:00.000Z" },
    },
  ]);
  // A phone or a name has no effect on the price.
  expect(JSON.stringify(body)).not.toContain("Ana");
});

test("an error of a preview is at its delivery in the form", () => {
  expect(formPointer("/deliveries/1/address/street", [1, 3])).toBe("/deliveries/3/address/street");
  expect(formPointer("/deliveries/0", [1, 3])).toBe("/deliveries/1");
  expect(formPointer("/preparationTime", [1, 3])).toBe("/preparationTime");
});

test("a delivery with a code needs a contact, and a number needs its digits", () => {
  const errors = (part: Partial<DeliveryDraft>) =>
    missingContacts({ ...draft.value, deliveries: [delivery({}), delivery(part)] }).map(
      ({ pointer, code }) => [pointer, code],
    );
  const at = "/deliveries/1/phone";
  expect(errors({})).toEqual([]);
  expect(errors({ phone: "" })).toEqual([[at, "required"]]);
  expect(errors({ phone: "", confirm: false })).toEqual([]);
  expect(errors({ phone: " ", email: "ana@example.com" })).toEqual([]);
  expect(errors({ phone: "3333-4444", confirm: false })).toEqual([[at, "invalid_phone"]]);
  expect(errors({ phone: "(11) 3333-4444" })).toEqual([]);
});

test("a change of one delivery leaves the others", () => {
  change({ deliveries: [delivery({}), delivery({})] });
  changeDelivery(1, { name: "Bia" });
  expect(draft.value.deliveries.map((one) => one.name)).toEqual([" Ana ", "Bia"]);
});

/** The city and the state that the form shows. */
const cityOf = (at = 0) => {
  const { city, state } = addressOf(draft.value, at);
  return `${city} ${state}`;
};
const type = (part: Partial<ReturnType<typeof emptyAddress>>, at = 0) =>
  changeAddress(at, { ...addressOf(draft.value, at), ...part });

test("the city is that of the chosen store until another is typed", () => {
  expect(cityOf()).toBe("Recife PE");
  type({ street: "Rua Um" });
  change({ store: "8" });
  expect(cityOf()).toBe("Fernando de Noronha PE");
  expect(orderRequest(draft.value).deliveries[0]?.address).toEqual({
    street: "Rua Um",
    city: "Fernando de Noronha",
    state: "PE",
  });
  type({ city: "Olinda" });
  change({ store: "7" });
  expect(cityOf()).toBe("Olinda PE");
  // Also cleared fields stay as the user left them.
  type({ city: "", state: "" });
  expect(cityOf()).toBe(" ");
  clearDraft();
  expect(cityOf()).toBe("Recife PE");
});

test("a complete CEP says where an address is", () => {
  type({ zipCode: "53110-000" });
  expect(cityOf()).toBe(" ");
  type({ city: "Recife", state: "PE" });
  change({ store: "8" });
  expect(cityOf()).toBe("Recife PE");
});

test("the store's city has no price before the street is typed", () => {
  expect(previewRequest(draft.value).stops).toEqual([]);
  type({ street: "Rua Um" });
  expect(previewRequest(draft.value).body.deliveries).toEqual([
    { address: { street: "Rua Um", city: "Recife", state: "PE" }, onlinePayment: true },
  ]);
});

test("a repeated order has the recipients and payments of the stored one, and a code of its own", () => {
  const stored = {
    storeId: 7,
    code: "A-1",
    pickupInstructions: "balcão 2",
    deliveries: [
      {
        name: "Maria Silva",
        phone: "+5511987654321",
        email: null,
        productValue: 42.5,
        observation: null,
        onlinePayment: false,
        payment: { method: "CASH" },
        address: {
          street: "Rua A",
          number: "10",
          city: "São Paulo",
          state: "SP",
          complement: null,
        },
      },
    ],
  } as unknown as Order;
  clearDraft();
  expect(isUntouched()).toBe(true);
  repeatOrder(stored);
  expect(isUntouched()).toBe(false);
  const { code: _, ...request } = orderRequest(draft.value);
  expect(request).toMatchObject({
    pickupInstructions: "balcão 2",
    deliveries: [
      {
        name: "Maria Silva",
        phone: "(11) 98765-4321",
        onlinePayment: false,
        productValue: 42.5,
        payment: { method: "CASH" },
        address: { street: "Rua A", number: "10", city: "São Paulo", state: "SP" },
      },
    ],
  });
  expect(draft.value.code).toBeNull();
  clearDraft();
});

test("the pin of an earlier order does not stay with another address", () => {
  const place = { street: "Rua A", number: "10", city: "Recife", state: "PE" };
  const address = { ...place, latitude: -8.05, longitude: -34.9 };
  fillInKnown(0, { name: "", observation: "", paid: true, payment: "", at: "", address } as never);
  changeAddress(0, { ...addressOf(draft.value, 0), complement: "ap 2" });
  expect(addressOf(draft.value, 0).latitude).toBe("-8.05");
  changeAddress(0, { ...addressOf(draft.value, 0), street: "Rua B" });
  expect(addressOf(draft.value, 0)).toMatchObject({ street: "Rua B", latitude: "", longitude: "" });
  clearDraft();
});
