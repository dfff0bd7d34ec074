// The operator's page for dispatch: a simulated pass and a real one.
import type { Body } from "./support/api";
import { expect, test } from "./support/fixtures";
import { defectsEverywhere, goTo } from "./support/page";
import type { Page, Response } from "@playwright/test";

let page: Page;
test.beforeEach(async ({ console }) => {
  page = console;
  await goTo(page, "/dispatch");
});

/** Curitiba, where no other test has couriers. */
const PICKUP = {
  street: "Rua XV de Novembro",
  number: "100",
  city: "Curitiba",
  state: "PR",
  latitude: -25.4296,
  longitude: -49.2713,
};
const DOOR = {
  street: "Rua Marechal Deodoro",
  number: "100",
  city: "Curitiba",
  state: "PR",
  latitude: -25.4312,
  longitude: -49.2659,
};

test("a simulated pass explains the orders and changes nothing", async ({ store }) => {
  await store.order({
    preparationTime: 0,
    pickupAddress: PICKUP,
    deliveries: [{ name: "Maria Silva", onlinePayment: true, address: DOOR }],
  });
  const isPass = (response: Response) => response.url().endsWith("/admin/dispatch?dryRun=true");
  const [response] = await Promise.all([
    page.waitForResponse(isPass),
    page.getByRole("button", { name: "Simular uma passada" }).click(),
  ]);
  const { decisions } = await response.json();
  const shown = page.getByTestId("pass");
  await expect(shown.getByText("Nada foi alterado.")).toBeVisible();
  // The couriers of the sandbox may already have the order.
  await expect(shown.locator(".decisions > li > p:first-child > a:first-child")).toHaveText(
    decisions.map((one: Body) => `Pedido #${one.orderId}`),
  );
  await expect(
    shown.getByText(
      decisions.length === 0
        ? "Nenhum pedido procura entregador."
        : `de ${decisions.length} pedidos em busca`,
    ),
  ).toBeVisible();
});

test("a pass with all kinds of results is explained in words", async ({ courier }) => {
  const person = await courier("Rita Despacho");
  const cost = {
    lateness: 0,
    wait: 60,
    start: 0,
    travel: 125,
    length: 600,
    remoteness: 0,
    guarantee: 0,
    reoffer: 0,
    total: 785,
  };
  const decision = (orderId: number, outcome: string, courierId: number | null = null) => ({
    orderId,
    at: new Date().toISOString(),
    outcome,
    courierId,
    orders: 2,
    cost: courierId === null ? null : cost,
    considered: courierId === null ? [] : [{ courierId, cost }],
  });
  const decisions = [
    decision(900001, "ASSIGNED", person.id),
    { ...decision(900002, "NO_COURIER"), excluded: [{ courierId: person.id, reason: "STUCK" }] },
    decision(900003, "CAN_WAIT", person.id),
  ];
  // The couriers of the sandbox take the orders of a test before a pass of the operator can.
  await page.route("**/admin/dispatch?dryRun=true", (route) =>
    route.fulfill({
      json: { moved: 0, allocated: 1, released: 0, expired: 0, more: true, decisions },
    }),
  );
  await page.getByRole("button", { name: "Simular uma passada" }).click();
  const shown = page.getByTestId("pass");
  await expect(
    shown.getByText("1 de 3 pedidos em busca seriam atribuídos a entregadores."),
  ).toBeVisible();
  await expect(shown.getByText("A passada parou no seu limite.")).toBeVisible();
  await expect(shown.getByRole("link", { name: "Rita Despacho" }).first()).toBeVisible();
  const lines = shown.locator(".decisions > li");
  await expect(lines.nth(0)).toHaveText(
    /^Pedido #900001\. Atribuído a um entregador: Rita Despacho/,
    { useInnerText: true },
  );
  await expect(lines.nth(1)).toHaveText(
    /^Pedido #900002\. Nenhum entregador[\s\S]*Rita Despacho: parado em uma viagem/,
    { useInnerText: true },
  );
  await expect(lines.nth(0)).toHaveText(/13 min 05 s/, { useInnerText: true });
  expect(await defectsEverywhere(page, "console-dispatch-pass")).toEqual([]);
});

test("other settings are compared with those in force", async ({ courier }) => {
  const person = await courier("Rita Ajuste");
  const settings = {
    radiusKm: 1,
    maxPositionAgeMinutes: 5,
    stuckAfterMinutes: 10,
    waitLimitMinutes: 5,
    reofferAfterMinutes: 3,
    horizonMinutes: 40,
    ordersPerTrip: 3,
    detourMinutes: 20,
    readySpreadMinutes: 20,
    marginSeconds: 30,
  };
  const summary = (assigned: number) => ({ orders: 2, assigned, planned: assigned });
  const decision = {
    orderId: 900001,
    at: new Date().toISOString(),
    outcome: "ASSIGNED",
    courierId: person.id,
    orders: 1,
    cost: null,
    considered: [],
  };
  const form = page.getByTestId("settings");
  await expect(form.locator("#f-radiusKm-hint", { hasText: "Agora: 10" })).toBeVisible();
  const radius = page.getByLabel("Distância do entregador à coleta, no máximo em km");
  await radius.fill("0");
  await form.getByRole("button", { name: "Simular com estes valores" }).click();
  await expect(form.locator(".field-error", { hasText: "de 1 a 200" })).toBeVisible();
  await radius.fill("1");
  // The couriers of the sandbox take the orders of a test before a pass of the operator can.
  await page.route("**/admin/dispatch/what-if", (route) => {
    expect(route.request().postDataJSON().radiusKm).toBe(1);
    return route.fulfill({
      json: {
        settings,
        current: summary(1),
        draft: summary(0),
        changedOrders: 1,
        changed: [{ orderId: 900001, current: decision, draft: null }],
      },
    });
  });
  await form.getByRole("button", { name: "Simular com estes valores" }).click();
  const shown = page.getByTestId("comparison");
  await expect(shown.getByText("A decisão sobre 1 pedido muda.")).toBeVisible();
  await expect(shown).toHaveText(/Com estes valores: nenhum entregador ao alcance/, {
    useInnerText: true,
  });
  await expect(shown.locator("pre")).toHaveText(/\[dispatch\]\nradius-km = 1/, {
    useInnerText: true,
  });
  expect(await defectsEverywhere(page, "console-dispatch-comparison")).toEqual([]);
  await page.unroute("**/admin/dispatch/what-if");
  await form.getByRole("button", { name: "Simular com estes valores" }).click();
  await expect(shown.getByText(/^Atribuídos agora: \d+ de \d+ pedidos ao alcance/)).toBeVisible();
  await form.getByRole("button", { name: "Desfazer" }).click();
  await expect(radius).toHaveValue("10");
});

test("a pass is run once, and a lost network is explained", async () => {
  const [sent] = await Promise.all([
    page.waitForRequest((one) => one.url().endsWith("/admin/dispatch")),
    page.getByRole("button", { name: "Executar uma passada agora" }).click(),
  ]);
  expect(sent.postData()).toBe(null);
  expect(sent.headers()["idempotency-key"]).toBeTruthy();
  await expect(
    page.getByTestId("pass").getByText(/^A passada das \d\d:\d\d:\d\d terminou\.$/),
  ).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Executar uma passada agora" }).click();
  await expect(page.getByText("Não foi possível conectar ao servidor.")).toBeVisible();
  await page.context().setOffline(false);
});
