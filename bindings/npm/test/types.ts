// Compiled with `tsc --strict`, not run: a merchant's code that uses the package.
import { assign, bestRoute, createPreviewer, DespachoError, load, lookupPostcode, validateOrder } from "despacho";
import type { CreateOrder, Preview, PreviewContext, ProblemCode } from "despacho";
import { DespachoPreviewElement } from "despacho/preview-element";

export async function previewFee(context: PreviewContext, zipCode: string): Promise<number> {
  await load(undefined, { gazetteer: false });
  const previewer = await createPreviewer(context, { language: "pt-BR" });
  const preview: Preview = previewer.preview({ deliveries: [{ address: { zipCode } }] }, { now: new Date() });
  const first: string = preview.deliveries[0]!.precision;
  // @ts-expect-error a fee is a number
  const fee: string = preview.deliveryFee;
  // @ts-expect-error an address is an object
  previewer.preview({ deliveries: [{ address: zipCode }] });
  previewer.free();
  return preview.deliveryFee + preview.priceBreakdown.length + first.length + fee.length;
}

export async function invalidFields(order: CreateOrder): Promise<string[]> {
  try {
    await validateOrder(order);
    return [];
  } catch (error) {
    if (!(error instanceof DespachoError)) throw error;
    const code: ProblemCode | string = error.code;
    return [code, ...error.problem.errors.map(({ pointer }) => pointer)];
  }
}

export async function findRoute(): Promise<boolean> {
  const town = await lookupPostcode("01310-200");
  const { proven, order } = await bestRoute({ matrix: [[0, 1], [null, 0]] });
  const pairs = await assign({ costs: [[1, null]] });
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
  element.addEventListener("despacho-error", ({ detail: { code, errors } }) => [code, ...errors.map(({ field }) => field)].join(" "));
  return element instanceof DespachoPreviewElement ? element : new DespachoPreviewElement();
}
