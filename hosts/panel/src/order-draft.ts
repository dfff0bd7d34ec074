/** The order that the user types, its defaults and the request bodies that it becomes. */

import { computed } from "@preact/signals";
import {
  addressDraft,
  addressRequest,
  bareZip,
  editAddress,
  emptyAddress,
  isLocatable,
  type AddressDraft,
} from "./address-draft";
import { form } from "./api/http";
import type { CreateOrder, FieldError, Order, PaymentMethod, PreviewOrder } from "./api/wire";
import { createDraft } from "./draft";
import { day, localInstant, phone } from "./format";
import type { Known } from "./known";
import { chosenDay, rows } from "./live";
import { emptyLoad, requirementsOf, type LoadDraft } from "./load";
import { amount, decimal } from "./numbers";
import { accessibleStores, store, zone } from "./session";
import { createTexts } from "./i18n/create";

export interface DeliveryDraft {
  name: string;
  phone: string;
  email: string;
  value: string;
  observation: string;
  paid: boolean;
  /** The payment at the door, or an empty string if it is not known. */
  payment?: PaymentMethod | "";
  change?: string;
  confirm: boolean;
  /** The local times between which the courier must arrive, or empty strings. A draft of an older version has none. */
  from?: string;
  until?: string;
  address: AddressDraft;
  /** Whether the user or a CEP has set the city and the state: until then they are those of the store. */
  hasCity?: boolean;
  /** Whether the coordinates are those of an earlier order, so that they belong to its address only. */
  hasStoredPin?: boolean;
}

export interface Draft {
  /** Null until the user types a code: the form then contains the suggested one. */
  code: string | null;
  /** Null until the user types a time: the form then contains the store's usual one. */
  preparation: string | null;
  best: boolean;
  /** A local time such as `2026-11-21T20:00`, or an empty string for as soon as possible. A draft of an older version has none. */
  deliverAt?: string;
  instructions?: string;
  store: string;
  load?: LoadDraft;
  deliveries: DeliveryDraft[];
}

export const emptyDelivery = (): DeliveryDraft => ({
  name: "",
  phone: "",
  email: "",
  value: "",
  observation: "",
  paid: true,
  confirm: true,
  address: emptyAddress(),
});
const empty = (): Draft => ({
  code: null,
  preparation: null,
  best: false,
  store: "",
  load: emptyLoad(),
  deliveries: [emptyDelivery()],
});

export const draft = createDraft<Draft>("order", empty);

/** Whether nothing was typed. */
export const isUntouched = (): boolean => JSON.stringify(draft.value) === JSON.stringify(empty());

/** Fills in the form with a stored order, which then gets a code and a price of its own. */
export function repeatOrder(of: Order): void {
  draft.value = {
    ...empty(),
    store: String(of.storeId),
    instructions: of.pickupInstructions ?? "",
    deliveries: of.deliveries.map((one) => ({
      ...emptyDelivery(),
      name: one.name ?? "",
      phone: phone(one.phone ?? ""),
      email: one.email ?? "",
      value: one.productValue === null ? "" : String(one.productValue).replace(".", ","),
      observation: one.observation ?? "",
      paid: one.onlinePayment,
      payment: one.payment?.method ?? "",
      address: addressDraft(one.address),
      hasCity: true,
      hasStoredPin: true,
    })),
  };
}

/** Fills in what earlier orders say about a customer. */
export function fillInKnown(at: number, known: Known): void {
  const { name, observation, paid, payment } = known;
  const address = addressDraft(known.address);
  const stored = { hasCity: true, hasStoredPin: true };
  changeDelivery(at, { name, observation, paid, payment, address, ...stored });
}

export const clearDraft = () => (draft.value = empty());

export function change(part: Partial<Draft>): void {
  draft.value = { ...draft.value, ...part };
}

export function changeDelivery(at: number, part: Partial<DeliveryDraft>): void {
  change({
    deliveries: draft.value.deliveries.map((one, index) =>
      index === at ? { ...one, ...part } : one,
    ),
  });
}

/** The ID of the store from which the order is picked up. */
const pickupStore = (from: Draft) =>
  from.store === "" ? (store.value?.id ?? 0) : Number(from.store);

/** Returns the address as the form shows it: in the store's city until another is typed, or a CEP says where it is. */
export function addressOf(from: Draft, at: number): AddressDraft {
  const { address, hasCity } = from.deliveries[at]!;
  if (
    hasCity === true ||
    address.city + address.state !== "" ||
    bareZip(address.zipCode).length === 8
  )
    return address;
  const own = accessibleStores.value.find((one) => one.id === pickupStore(from))?.address;
  return { ...address, city: own?.city ?? "", state: own?.state ?? "" };
}

export function changeAddress(at: number, typed: AddressDraft): void {
  const { hasCity, hasStoredPin, address: before } = draft.value.deliveries[at]!;
  const address = hasStoredPin === true ? editAddress(before, typed) : typed;
  const shown = addressOf(draft.value, at);
  if (hasCity === true || address.city !== shown.city || address.state !== shown.state)
    changeDelivery(at, { address, hasCity: true });
  else changeDelivery(at, { address: { ...address, city: before.city, state: before.state } });
}

/** Whether a delivery has a place. The store's city alone is none, because the price would be that of an empty form. */
export const hasPlace = (from: Draft, at: number): boolean =>
  isLocatable(from.deliveries[at]!.address) ||
  (from.deliveries[at]!.address.street.trim() !== "" && isLocatable(addressOf(from, at)));

const CODE_KEY = "despacho.last-code.";
const PREPARATION_KEY = "despacho.preparation.";

function stored(key: string, from: Draft): string | null {
  try {
    return localStorage.getItem(key + pickupStore(from));
  } catch {
    return null;
  }
}

/** Stores the code and the preparation time of a created order: the defaults of the next one. */
export function rememberOrder(from: Draft): void {
  try {
    localStorage.setItem(CODE_KEY + pickupStore(from), codeOf(from));
    localStorage.setItem(PREPARATION_KEY + pickupStore(from), preparationOf(from));
  } catch {
    // Without storage, the form has no defaults.
  }
}

const NUMERIC = /^\d{1,12}$/;

/** The number after the day's last numeric code of the store, or after the last one on this device. The first one is the date and `001`, such as `261201001`. A code with letters has no successor. */
const suggestedCode = computed(() => {
  const id = pickupStore(draft.value);
  const own = rows.value.filter((row) => row.storeId === id);
  const today = day(new Date(), zone.value);
  const numeric = own.filter(
    (row) => NUMERIC.test(row.code) && day(new Date(row.createdAt), zone.value) === today,
  );
  const newest =
    chosenDay.value === ""
      ? numeric.reduce<(typeof numeric)[number] | null>(
          (best, row) => (best === null || row.id > best.id ? row : best),
          null,
        )
      : null;
  const last = newest?.code ?? stored(CODE_KEY, draft.value) ?? "";
  const before = last === "" ? `${today.slice(2).replaceAll("-", "")}000` : last;
  if (!NUMERIC.test(before)) return "";
  const used = new Set(own.map((row) => row.code));
  for (let number = Number(before) + 1; ; number += 1) {
    const code = String(number).padStart(before.length, "0");
    if (!used.has(code)) return code;
  }
});

export const codeOf = (from: Draft): string => from.code ?? suggestedCode.value;
/** The store's own time, or else the one that was last typed on this device. */
export const preparationOf = (from: Draft): string =>
  from.preparation ?? usualPreparation(from) ?? stored(PREPARATION_KEY, from) ?? "0";

function usualPreparation(from: Draft): string | undefined {
  return accessibleStores.value
    .find((one) => one.id === pickupStore(from))
    ?.preparationTime?.toString();
}

/** Builds the preview request from the deliveries whose address can be located, and their indices. */
export function previewRequest(from: Draft): { body: PreviewOrder; stops: number[] } {
  const stops = from.deliveries.map((_, at) => at).filter((at) => hasPlace(from, at));
  const deliveries = stops.map((at) => ({
    address: addressRequest(addressOf(from, at)),
    onlinePayment: from.deliveries[at]!.paid,
    // The way back depends on the method.
    ...paymentRequest(from.deliveries[at]!),
    ...windowRequest(from.deliveries[at]!),
  }));
  return { body: form<PreviewOrder>({ ...sharedFields(from), deliveries }), stops };
}

/** Returns the pointer in the form of a pointer in the preview's request, which has only some deliveries. */
export const formPointer = (pointer: string, stops: readonly number[]): string =>
  pointer.replace(
    /^\/deliveries\/(\d+)/,
    (_, at: string) => `/deliveries/${stops[Number(at)] ?? at}`,
  );

function sharedFields(from: Draft): Omit<CreateOrder, "code" | "deliveries"> {
  const preparation = decimal(preparationOf(from)) ?? 0;
  const own = pickupStore(from) === store.value?.id;
  return {
    preparationTime: preparation,
    previewDeliveryTime: true,
    sortByBestRoute: from.best,
    ...requirementsOf(from.load),
    ...((from.deliverAt ?? "") === "" ? {} : { deliverAt: instantRequest(from.deliverAt!) }),
    ...(own ? {} : { store: { userPlatformId: pickupStore(from) } }),
  };
}

export function orderRequest(from: Draft): CreateOrder {
  return form<CreateOrder>({
    code: codeOf(from).trim(),
    ...sharedFields(from),
    ...((from.instructions ?? "").trim() === ""
      ? {}
      : { pickupInstructions: from.instructions!.trim() }),
    deliveries: from.deliveries.map((one, at) => ({
      name: one.name.trim(),
      phone: one.phone.trim(),
      ...(hasEmail(one) ? { email: one.email.trim() } : {}),
      ...(one.observation.trim() === "" ? {} : { observation: one.observation.trim() }),
      ...(one.value.trim() === "" ? {} : { productValue: amount(one.value) }),
      onlinePayment: one.paid,
      ...paymentRequest(one),
      ...windowRequest(one),
      confirmation: { platform: one.confirm },
      address: addressRequest(addressOf(from, at)),
    })),
  });
}

/** The service rejects a time that is not valid, and names it. */
function instantRequest(local: string): string {
  const instant = localInstant(local.slice(0, 16), zone.value);
  return Number.isNaN(instant.getTime()) ? local : instant.toISOString();
}

/** If one of the times is missing, the API names it. */
function windowRequest({ from = "", until = "" }: DeliveryDraft): {
  window?: { from?: string; until?: string };
} {
  const window = {
    ...(from === "" ? {} : { from: instantRequest(from) }),
    ...(until === "" ? {} : { until: instantRequest(until) }),
  };
  return from + until === "" ? {} : { window };
}

/** Change is only for cash. */
function paymentRequest(one: DeliveryDraft): {
  payment?: { method: PaymentMethod; changeFor?: number | undefined };
} {
  if (one.paid || one.payment === undefined || one.payment === "") return {};
  const change =
    one.payment === "CASH" && (one.change ?? "").trim() !== ""
      ? { changeFor: amount(one.change!) }
      : {};
  return { payment: { method: one.payment, ...change } };
}

/** The email field is shown only for deliveries with a code. A draft of an older version has none. */
const hasEmail = (one: DeliveryDraft) => one.confirm && (one.email ?? "").trim() !== "";

/** The digits of a number with its area code, which every number that can be called from another city has. */
const MIN_DIGITS = 10;

/**
 * Returns an error for each delivery with a code whose recipient has no contact to receive it, and for each number that lacks digits. The API
 * would leave such a number out and create the order; a person who types it can still correct it.
 */
export function missingContacts(from: Draft): FieldError[] {
  return from.deliveries.flatMap((one, at): FieldError[] => {
    const pointer = `/deliveries/${at}/phone`;
    const digits = one.phone.replace(/\D/g, "").length;
    if (one.phone.trim() !== "" && digits < MIN_DIGITS)
      return [{ pointer, code: "invalid_phone", detail: createTexts.value.phoneInvalid }];
    const isMissing = one.confirm && one.phone.trim() === "" && !hasEmail(one);
    return isMissing
      ? [{ pointer, code: "required", detail: createTexts.value.contactRequired }]
      : [];
  });
}
