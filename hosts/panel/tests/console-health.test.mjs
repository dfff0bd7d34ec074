// The operator's page for the health of the service.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { defectsEverywhere, goTo, launch, request } from "./browser.mjs";
import { TOKEN, openConsole } from "./operator.mjs";

let browser;
let page;
let context;
let pageErrors;
before(async () => {
  browser = await launch();
  ({ page, context, pageErrors } = await openConsole(browser));
  await page.clock.install();
});
after(() => browser.close());

const card = (name) => page.locator(".figure", { has: page.getByText(name, { exact: true }) });

test("page shows the server's figures", async () => {
  await goTo(page, "/health");
  await card("Pedidos em aberto").waitFor();
  const { body } = await request(TOKEN, "GET", "/admin/health");
  assert.equal(await page.locator(".figure").count(), body.figures.length);
});

test("bad figures come first with advice, and unknown ones keep their name", async () => {
  let value = 3;
  const advice = "Verifique se as passagens do despacho rodam.";
  await page.route("**/admin/health", (route) => {
    const figures = [
      { name: "openOrders", value: 12_345, status: "OK", advice: null },
      { name: "newFigure", value: 1, status: "OK", advice: null },
    ];
    if (value > 0) figures.push({ name: "overdueOrders", value, status: "DEGRADED", advice });
    return route.fulfill({
      json: { status: value > 0 ? "DEGRADED" : "OK", at: "2026-11-23T12:00:00Z", figures },
    });
  });
  await page.clock.fastForward(10_000);
  await page.getByText("1 número precisa de atenção").waitFor();
  const [first] = await page.locator(".figure").allInnerTexts();
  assert.match(
    first,
    /^Pedidos com mudanças em atraso\s+3\s+Precisa de atenção\s+Verifique se as passagens/,
  );
  await card("newFigure").waitFor();
  await card("Pedidos em aberto").getByText("12.345").waitFor();
  assert.deepEqual(await defectsEverywhere(page, "console-health-bad"), []);
  // The page reads the figures again by itself.
  value = 0;
  await page.clock.fastForward(10_000);
  await page.getByText("Tudo funciona").waitFor();
  await page.unroute("**/admin/health");
});

test("outdated figures are marked while the network is lost", async () => {
  await context.setOffline(true);
  await page.clock.fastForward(10_000);
  // Each attempt of the request waits for the browser's clock.
  for (let attempt = 0; attempt < 3; attempt += 1) await page.clock.runFor(2_000);
  await page.getByText("Eles podem estar desatualizados.").waitFor();
  await card("Pedidos em aberto").waitFor();
  await context.setOffline(false);
  await page.getByText("Eles podem estar desatualizados.").waitFor({ state: "detached" });
});

test("pages have no errors", () => {
  assert.deepEqual(pageErrors, []);
});
