// The operator's page for the health of the service.
import { operator } from "./support/api";
import { expect, test } from "./support/fixtures";
import { defectsEverywhere, goTo } from "./support/page";
import type { Page } from "@playwright/test";

let page: Page;
test.beforeEach(async ({ console }) => {
  page = console;
  await page.clock.install();
});

const card = (name: string) =>
  page.locator(".figure", { has: page.getByText(name, { exact: true }) });

test("page shows the server's figures", async () => {
  await goTo(page, "/health");
  await expect(card("Pedidos em aberto")).toBeVisible();
  const { body } = await operator("GET", "/admin/health");
  await expect(page.locator(".figure")).toHaveCount(body.figures.length);
});

test("bad figures come first with advice, and unknown ones keep their name", async () => {
  await goTo(page, "/health");
  await expect(card("Pedidos em aberto")).toBeVisible();
  let value = 3;
  const advice = "Verifique se as passagens do despacho rodam.";
  await page.route("**/admin/health", (route) => {
    const figures = [
      { name: "openOrders", value: 12_345, status: "OK", advice: null as string | null },
      { name: "newFigure", value: 1, status: "OK", advice: null },
    ];
    if (value > 0) figures.push({ name: "overdueOrders", value, status: "DEGRADED", advice });
    return route.fulfill({
      json: { status: value > 0 ? "DEGRADED" : "OK", at: "2026-11-23T12:00:00Z", figures },
    });
  });
  await page.clock.fastForward(10_000);
  await expect(page.getByText("1 número precisa de atenção")).toBeVisible();
  await expect(page.locator(".figure").first()).toHaveText(
    /^Pedidos com mudanças em atraso\s+3\s+Precisa de atenção\s+Verifique se as passagens/,
    { useInnerText: true },
  );
  await expect(card("newFigure")).toBeVisible();
  await expect(card("Pedidos em aberto").getByText("12.345")).toBeVisible();
  expect(await defectsEverywhere(page, "console-health-bad")).toEqual([]);
  // The page reads the figures again by itself.
  value = 0;
  await page.clock.fastForward(10_000);
  await expect(page.getByText("Tudo funciona")).toBeVisible();
  await page.unroute("**/admin/health");
});

test("outdated figures are marked while the network is lost", async () => {
  await goTo(page, "/health");
  await expect(card("Pedidos em aberto")).toBeVisible();
  await page.context().setOffline(true);
  await page.clock.fastForward(10_000);
  // Each attempt of the request waits for the browser's clock.
  for (let attempt = 0; attempt < 3; attempt += 1) await page.clock.runFor(2_000);
  await expect(page.getByText("Eles podem estar desatualizados.")).toBeVisible();
  await expect(card("Pedidos em aberto")).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText("Eles podem estar desatualizados.")).toHaveCount(0);
});
