// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, test, vi } from "vitest";
import type { TariffComparison } from "../../api/wire";
import { Activation } from "./activate";
import type { Tariff } from "./api";
import type { Calculated } from "./what-if";

const tariff = { version: "v2", baseFee: 8, windows: [] } as unknown as Tariff;
const result = { orders: 3, stores: [], current: 30, draft: 33 } as unknown as TariffComparison;
const known = (part: Partial<Calculated>): Calculated => ({
  key: JSON.stringify(tariff),
  days: 7,
  storeId: null,
  result,
  ...part,
});

afterEach(() => vi.unstubAllGlobals());

/** Opens the confirmation, and returns the comparisons that it requests. */
async function requested(of: Calculated | null): Promise<unknown[]> {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    sent.push([new URL(url).pathname, JSON.parse(String(init.body))]);
    return new Promise(() => undefined);
  });
  const box = document.createElement("div");
  document.body.append(box);
  await act(async () => {
    render(
      <Activation tariff={tariff} known={of} rejected={() => undefined} close={() => undefined} />,
      box,
    );
  });
  const isShown = box.querySelector("[data-testid=summary]") !== null;
  await vi.waitFor(() => expect(sent.length > 0).toBe(!isShown));
  render(null, box);
  return sent;
}

test("the comparison of this draft with all stores is not repeated", async () => {
  expect(await requested(known({}))).toEqual([]);
});

test.each([
  ["nothing was compared", null],
  ["another draft was compared", known({ key: "{}" })],
  ["the orders of one store were compared", known({ storeId: 7 })],
])("the total is computed if %s", async (_, of) => {
  expect(await requested(of)).toEqual([["/admin/tariffs/what-if", { tariff, days: 30 }]]);
});
