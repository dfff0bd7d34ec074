// @vitest-environment happy-dom
import { render } from "preact";
import { encode } from "uqr";
import { expect, test, vi } from "vitest";
import type { OrderDetails } from "../api/wire";
import { setLanguage } from "../i18n/language";
import { PrintSheet, type Sheet } from "./print";

const address = {
  street: "Rua Vergueiro",
  number: "1000",
  complement: null,
  neighborhood: "Paraíso",
  city: "São Paulo",
  state: "SP",
  zipCode: "01504000",
  latitude: null,
  longitude: null,
};
const stop = {
  id: 8,
  orderRoute: 1,
  name: "Maria Silva",
  phone: "+5511987654321",
  address,
  observation: null,
  situation: 150,
  productValue: 57.9,
  deliveryCode: "4711",
  trackingUrl: "https://entregas.example/t/geheim",
  onlinePayment: false,
  payment: { method: "CASH", amount: 57.9, changeFor: 100, change: 42.1 },
};
const paid = {
  ...stop,
  id: 9,
  orderRoute: 2,
  name: "João",
  deliveryCode: "4712",
  onlinePayment: true,
  payment: undefined,
};
const order = {
  id: 1042,
  storeId: 1,
  code: "A-1",
  pickupCode: "COLETA7",
  situation: 210,
  pickupAddress: address,
  createdAt: "2026-11-29T15:00:00Z",
  expectedDelivery: null,
  deliveryFee: 12.5,
  priceBreakdown: [],
  events: [],
  deliveries: [stop, paid, { ...stop, id: 10, orderRoute: 3, name: "Cancelado", situation: 600 }],
} as unknown as OrderDetails;

function sheet(kind: Sheet): HTMLElement {
  setLanguage("pt");
  vi.stubGlobal("print", () => undefined);
  const box = document.createElement("div");
  render(<PrintSheet order={order} sheet={kind} close={() => undefined} />, box);
  return box;
}

const textOf = (element: Element | null) => (element?.textContent ?? "").replaceAll("\u00A0", " ");

test("a label has the payment, and neither a code nor the link that shows one", () => {
  const box = sheet("label");
  const [first, second, ...others] = [...box.querySelectorAll(".label")];
  expect(others).toEqual([]);
  expect(textOf(first!.querySelector(".label-payment"))).toBe(
    "Receber R$ 57,90 · dinheiro, troco de R$ 42,10",
  );
  expect(textOf(second!.querySelector(".label-payment"))).toBe("Pago");
  for (const secret of ["COLETA7", "4711", "4712", "geheim"])
    expect(box.innerHTML).not.toContain(secret);
  const { data } = encode(`${location.origin}${location.pathname}#/orders/1042`, {
    ecc: "M",
    border: 2,
  });
  const squares = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  for (const path of box.querySelectorAll(".label-qr path"))
    expect(path.getAttribute("d")).toBe(squares);
});

test("the receipt is the counter's copy with the pickup code and the payments", () => {
  const text = textOf(sheet("receipt"));
  for (const part of [
    "Código de coleta COLETA7",
    "Via do balcão",
    "Receber R$ 57,90 · dinheiro, troco de R$ 42,10",
    "Pago R$ 57,90",
  ])
    expect(text).toContain(part);
  for (const secret of ["4711", "geheim"]) expect(text).not.toContain(secret);
});
