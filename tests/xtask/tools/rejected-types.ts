// Compiled, not run: requests that the generated types must reject, and the smallest ones that they must accept.
import type { components } from "./dist/api.js";
import type { CreateOrder as HeyOrder, PreviewOrder as HeyPreview } from "./dist/hey/types.gen.js";

type Schemas = components["schemas"];
type Order = Schemas["CreateOrder"] & HeyOrder;
type Preview = Schemas["PreviewOrder"] & HeyPreview;

const address = { street: "Rua Augusta", number: "1500", city: "São Paulo", state: "SP" };
export const orders: Order[] = [
  { code: "A-1", deliveries: [{ address }] },
  {
    code: "A-1",
    deliveries: [
      {
        address: { ...address, latitude: -23.557, longitude: -46.66 },
        pin: "first",
        onlinePayment: null,
      },
    ],
  },
];
export const previews: Preview[] = [
  { deliveries: [{ address: { zipCode: "01304-001" } }] },
  {
    deliveries: [{ address: { city: "Osasco", state: "SP" } }],
    pickupAddress: { ...address, latitude: -23.557, longitude: -46.66 },
  },
];

/** Both generators must reject a value, so each is checked alone. */
export const rejectedBySchemas: Schemas["CreateOrder"][] = [
  // @ts-expect-error an address has fields
  { code: "A-1", deliveries: [{ address: {} }] },
  // @ts-expect-error an order needs more than coordinates
  { code: "A-1", deliveries: [{ address: { latitude: -23.557, longitude: -46.66 } }] },
  // @ts-expect-error a required field is not null
  { code: "A-1", deliveries: [{ address: { ...address, street: null } }] },
  // @ts-expect-error a pin is `first` or `last`
  { code: "A-1", deliveries: [{ address, pin: "middle" }] },
];
export const rejectedByHeyApi: HeyOrder[] = [
  // @ts-expect-error an address has fields
  { code: "A-1", deliveries: [{ address: {} }] },
  // @ts-expect-error an order needs more than coordinates
  { code: "A-1", deliveries: [{ address: { latitude: -23.557, longitude: -46.66 } }] },
  // @ts-expect-error a required field is not null
  { code: "A-1", deliveries: [{ address: { ...address, street: null } }] },
  // @ts-expect-error a pin is `first` or `last`
  { code: "A-1", deliveries: [{ address, pin: "middle" }] },
];
// @ts-expect-error an address can be located
export const unlocatable: Schemas["LocateAddress"] = {};
// @ts-expect-error a city needs its state
export const cityAlone: HeyPreview = { deliveries: [{ address: { city: "Osasco" } }] };
// @ts-expect-error no order has this status
export const unknownSituation: Schemas["OrderSituation"] = 501;
