// Compiled with `tsc --strict`, not run: a merchant's code that uses the package.
import {
  assign,
  bestRoute,
  createPreviewer,
  DespachoError,
  load,
  lookupPostcode,
  validateOrder,
} from "despacho";
import type {
  CreateOrder,
  ErrorCode,
  FieldCode,
  OrderSituation,
  Preview,
  PreviewContext,
  PreviewOrder,
  RouteErrorCode,
} from "despacho";
import { DespachoPreviewElement } from "despacho/preview-element";

export async function previewFee(context: PreviewContext, zipCode: string): Promise<number> {
  await load(undefined, { gazetteer: false });
  const previewer = await createPreviewer(context, { language: "pt-BR" });
  const preview: Preview = previewer.preview(
    { deliveries: [{ address: { zipCode } }] },
    { now: new Date() },
  );
  const first: string = preview.deliveries[0]!.precision;
  // @ts-expect-error a fee is a number
  const fee: string = preview.deliveryFee;
  // @ts-expect-error an address is an object
  previewer.preview({ deliveries: [{ address: zipCode }] });
  previewer.free();
  return preview.deliveryFee + preview.priceBreakdown.length + first.length + fee.length;
}

// Every field with a default or null can be omitted, null and undefined.
const address = {
  street: "Rua Augusta",
  number: "900",
  city: "São Paulo",
  state: "SP",
  complement: null,
};
export const smallestOrder: CreateOrder = { code: "A-1", deliveries: [{ address }] };
export const wholeOrder: CreateOrder = {
  code: "A-1",
  preparationTime: null,
  sortByBestRoute: true,
  pickupAddress: { ...address, latitude: -23.55, longitude: -46.63 },
  deliveries: [
    { address: { ...address, latitude: null }, onlinePayment: false, pin: "last" },
    { address, pin: null },
  ],
};
export const invalidOrders: CreateOrder[] = [
  // @ts-expect-error an order has a code
  { deliveries: [{ address }] },
  // @ts-expect-error an address has fields
  { code: "A-1", deliveries: [{ address: {} }] },
  // @ts-expect-error an order needs more than a CEP
  { code: "A-1", deliveries: [{ address: { zipCode: "01310-200" } }] },
  // @ts-expect-error an order needs more than coordinates
  { code: "A-1", deliveries: [{ address: { latitude: -23.55, longitude: -46.63 } }] },
  // @ts-expect-error an order needs a street
  { code: "A-1", deliveries: [{ address: { number: "900", city: "São Paulo", state: "SP" } }] },
  // @ts-expect-error a required field is not null
  { code: "A-1", deliveries: [{ address: { ...address, number: null } }] },
  // @ts-expect-error the field is `zipCode`
  { code: "A-1", deliveries: [{ address: { ...address, zipcode: "01310-200" } }] },
  // @ts-expect-error a pin is `first` or `last`
  { code: "A-1", deliveries: [{ address, pin: "middle" }] },
  // @ts-expect-error a pickup is an address or null
  { code: "A-1", pickupAddress: {}, deliveries: [{ address }] },
];
export const previews: PreviewOrder[] = [
  { deliveries: [{ address: { latitude: -23.55, longitude: -46.63, street: "Rua Augusta" } }] },
  {
    deliveries: [
      {
        address: {
          zipCode: "01310-200",
          street: "Avenida Paulista",
          number: null,
          latitude: null,
          longitude: null,
        },
      },
    ],
  },
  { deliveries: [{ address: { city: "Osasco", state: "SP" } }], pickupAddress: address },
  // @ts-expect-error an address can be located
  { deliveries: [{ address: {} }] },
  // @ts-expect-error a street alone cannot be located
  { deliveries: [{ address: { street: "Rua Augusta", number: "900" } }] },
  // @ts-expect-error a city needs its state
  { deliveries: [{ address: { city: "Osasco" } }] },
  // @ts-expect-error a latitude needs a longitude
  { deliveries: [{ address: { latitude: -23.55 } }] },
  // @ts-expect-error a CEP is text
  { deliveries: [{ address: { zipCode: 1310200 } }] },
];

export async function invalidFields(order: CreateOrder): Promise<FieldCode[]> {
  try {
    await validateOrder(order);
    return [];
  } catch (error) {
    if (!(error instanceof DespachoError)) throw error;
    const code: ErrorCode = error.code;
    // @ts-expect-error no error has this code
    if (code === "nothing") throw error;
    if (code === "bad_pin" || code === "not_a_pack" || error.problem.status !== 422) throw error;
    return error.problem.errors.map((field) => field.code);
  }
}

export const isFinal = (situation: OrderSituation): boolean => situation >= 500;
// @ts-expect-error no status has this number
isFinal(501);
// @ts-expect-error no route error has this code
export const unknownCode: RouteErrorCode = "nothing";

export async function findRoute(): Promise<boolean> {
  const town = await lookupPostcode("01310-200");
  const { proven, order } = await bestRoute({
    matrix: [
      [0, 1],
      [null, 0],
    ],
  });
  const pairs = await assign({ costs: [[1, null], Float64Array.of(1, 2)], unassigned: 9 });
  await bestRoute({
    matrix: [
      [0, 1],
      [1, 0],
    ],
    closed: true,
    start: 0,
    pins: [{ stop: 1, pin: "first" }],
    work: 1_000,
  });
  // @ts-expect-error a pin is `first` or `last`
  await bestRoute({ matrix: [[0]], pins: [{ stop: 1, pin: "middle" }] });
  // @ts-expect-error a pin names its stop
  await bestRoute({ matrix: [[0]], pins: ["first"] });
  return proven && order.length === 1 && pairs.assign.length === 1 && town?.state === "SP";
}

export function embedPreview(context: PreviewContext): DespachoPreviewElement {
  const element = document.createElement("despacho-preview");
  Object.assign(element, { context, preparationTime: 20 });
  element.pickup = { city: "Osasco", state: "SP" };
  element.order = { requirements: { packages: 2 } };
  // @ts-expect-error the element has its own deliveries
  element.order = { deliveries: [] };
  element.addEventListener("despacho-price", ({ detail }) => {
    const fee: number | undefined = detail.preview?.deliveryFee;
    // @ts-expect-error a fee can be missing
    return fee.toFixed(2) + detail.missing.join(", ") + (detail.address.zipCode ?? "");
  });
  element.addEventListener("despacho-error", ({ detail: { code, errors } }) =>
    [code, ...errors.map(({ field }) => field)].join(" "),
  );
  return element instanceof DespachoPreviewElement ? element : new DespachoPreviewElement();
}
