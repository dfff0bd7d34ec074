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
  await expect(shown.getByRole("rowheader")).toHaveText(
    decisions.map((one: Body) => `#${one.orderId}`),
  );
  await expect(
    shown.getByText(
      decisions.length === 0
        ? "Nenhum pedido procura entregador."
        : `de ${decisions.length} pedidos em busca`,
    ),
  ).toBeVisible();
});

const cost = (lateness: number, travel: number) => ({
  lateness,
  wait: 0,
  start: 0,
  travel,
  length: 600,
  remoteness: 0,
  guarantee: 0,
  reoffer: 0,
  total: lateness + travel + 600,
});

test("a pass with all kinds of results is explained at a glance", async ({ courier }) => {
  const ana = await courier("Ana Despacho");
  const rita = await courier("Rita Despacho");
  const considered = [
    { courierId: ana.id, cost: cost(60, 125) },
    { courierId: rita.id, cost: cost(240, 30) },
  ];
  const decision = (orderId: number, outcome: string, courierId: number | null = null) => ({
    orderId,
    at: new Date().toISOString(),
    outcome,
    courierId,
    orders: courierId === null ? 0 : 2,
    cost: courierId === null ? null : cost(60, 125),
    considered: courierId === null ? [] : considered,
  });
  const excluded = [
    { courierId: rita.id, reason: "STUCK" },
    ...[0, 1, 2, 3].map((at) => ({ courierId: 990_000 + at, reason: "CASH_LIMIT" })),
  ];
  // All columns.
  const rest = { wait: 1450, start: 725, remoteness: -625, guarantee: 30, reoffer: 1200 };
  const decisions = [
    decision(900001, "ASSIGNED", ana.id),
    { ...decision(900002, "NO_COURIER"), excluded },
    {
      ...decision(900003, "CAN_WAIT", ana.id),
      considered: [ana, rita].map(({ id }) => ({
        courierId: id,
        cost: { ...cost(7250, 145), ...rest, total: 10_775 },
      })),
    },
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
  await expect(shown.getByRole("row", { name: "#900001" })).toHaveText(
    /Atribuído\s+Ana Despacho\s+13 min 05 s/,
    { useInnerText: true },
  );
  expect(await defectsEverywhere(page, "console-dispatch-pass")).toEqual([]);

  const button = (id: number) => shown.getByRole("button", { name: `Explicar o pedido #${id}` });
  for (const { orderId } of decisions) {
    await button(orderId).press("Enter");
    await expect(button(orderId)).toHaveAttribute("aria-expanded", "true");
  }
  await expect(
    shown.getByText(
      "Ana Despacho foi a melhor opção: o atraso é 3 min 00 s menor do que com Rita Despacho, a segunda melhor.",
    ),
  ).toBeVisible();
  const costs = shown.getByRole("table", { name: "Custo só para este pedido" });
  await expect(costs).toHaveCount(2);
  await expect(costs.first().getByRole("columnheader")).toHaveText([
    "Entregador",
    "Custo total",
    "Atraso",
    "Até a coleta",
    "Viagem",
  ]);
  await expect(costs.first().getByRole("rowheader")).toHaveText([
    "Ana Despacho escolhido",
    "Rita Despacho",
  ]);
  await expect(costs.last().getByRole("rowheader").first()).toHaveText("Ana Despacho planejado");
  await expect(shown.getByText("Nenhum entregador está ao alcance.")).toBeVisible();
  await expect(shown.getByRole("listitem").first()).toHaveText(
    "parado em uma viagem (1): Rita Despacho",
  );
  await shown.getByText("passaria do limite de dinheiro (4)").click();
  await expect(shown.getByRole("link", { name: "Entregador #990003" })).toBeVisible();
  expect(await defectsEverywhere(page, "console-dispatch-explained")).toEqual([]);
  await button(900001).press("Enter");
  await expect(costs).toHaveCount(1);
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
    cost: cost(0, 60),
    considered: [{ courierId: person.id, cost: cost(0, 60) }],
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
  await expect(shown.getByRole("cell", { name: "Atribuído: Rita Ajuste" })).toBeVisible();
  await expect(shown.getByRole("cell", { name: "Nenhum entregador ao alcance" })).toBeVisible();
  await shown.getByRole("button", { name: "Explicar o pedido #900001" }).click();
  await expect(
    shown.getByText("Rita Ajuste era a única opção ao alcance que podia levar o pedido."),
  ).toBeVisible();
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
    page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/admin/dispatch")),
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
