// The report by day: figures, period, store, keyboard, file and paper.
import { BASE, uniqueCode, type Store } from "./support/api";
import { expect, test } from "./support/fixtures";
import { downloaded, goTo, isAt, printed, screenshot } from "./support/page";
import type { Page } from "@playwright/test";

let page: Page;
let store: Store;
test.beforeEach(({ panel, store: mine }) => {
  [page, store] = [panel, mine];
});

const total = (name: string) =>
  page.locator(".totals .fact", { has: page.getByText(name, { exact: true }) }).locator("dd");
const parameter = (name: string) =>
  page.evaluate((key) => new URLSearchParams(location.hash.split("?")[1]).get(key) ?? "", name);

type Figures = Record<string, number> & { storeId: number };

/** Reads the report as JSON; the helper of the other tests does not choose a media type. */
async function report(): Promise<Figures[]> {
  const headers = { "x-api-token": store.key, accept: "application/json" };
  return (await (await fetch(`${BASE}/delivery/reports/days`, { headers })).json()).days;
}

const download = () => downloaded(page, page.getByRole("button", { name: "Baixar CSV" }));

test("report shows the server's figures, and the file contains the same", async () => {
  // A parent store with an order of its own, a cancelled one, and one of its branch.
  const branch = await store.branch(uniqueCode("Filial"));
  await page.reload();
  await expect(page.locator("#title")).toBeVisible();
  await store.order({ preparationTime: 120 });
  const { id } = await store.order({ preparationTime: 120 });
  await store.api("POST", "/delivery/orders/cancel", { orderId: id });
  await store.order({ preparationTime: 120, store: { userPlatformId: branch } });
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await expect(page.locator(".chart").first()).toBeVisible();
  const days = await report();
  const sum = (name: string, entries = days) =>
    entries.reduce((all, one) => all + (one[name] ?? 0), 0);
  expect([sum("created"), sum("cancelled")]).toEqual([3, 1]);
  await expect(total("Pedidos")).toHaveText(String(sum("created")));
  await expect(total("Cancelados")).toHaveText(String(sum("cancelled")));

  const all = await download();
  expect(all.text.replace("\uFEFF", "").trim().split("\r\n").length).toBe(days.length + 1);
  // The server's report of a parent store contains its branches; the page shows the store by itself.
  const own = String(store.id);
  await page.selectOption("select", own);
  const entries = days.filter((one) => String(one.storeId) === own);
  expect(entries.length).toBeLessThan(days.length);
  await expect(page.locator(".totals dd").first()).toHaveText(String(sum("created", entries)));
  const one = await download();
  expect(one.name).toMatch(new RegExp(`^despacho-${own}-`));
  const [head, ...lines] = one.text.trimEnd().split("\r\n");
  expect(head).toMatch(/^\uFEFFDia;Loja;Criados;/);
  expect(lines.map((line) => line.split(";")[1])).toEqual(entries.map(() => own));
  // The route keeps the filter.
  await page.reload();
  await expect(page.locator(".chart").first()).toBeVisible();
  await expect(page.locator("select")).toHaveValue(own);
});

test("period has at most 92 days, and an empty one is explained", async () => {
  await goTo(page, "/reports");
  await page.getByRole("button", { name: "7 dias" }).click();
  await isAt(page, /from=/);
  const days = async () =>
    (Date.parse(await parameter("to")) - Date.parse(await parameter("from"))) / 86_400_000 + 1;
  await expect.poll(days).toBe(7);
  await page.getByLabel("De", { exact: true }).fill("2026-01-01");
  await expect(page.getByText("Nenhum pedido neste período.")).toBeVisible();
  await expect.poll(days).toBe(92);
  await isAt(page, /from=2026-01-01/);
  await page.getByLabel("Até", { exact: true }).fill("2026-03-31");
  await isAt(page, /to=2026-03-31/);
  await expect.poll(days).toBe(90);
  // A route with impossible days shows a possible period.
  await goTo(page, "/reports?from=2020-01-01&to=2026-01-31");
  await expect(page.getByText("Nenhum pedido neste período.")).toBeVisible();
  await expect(page.getByLabel("De", { exact: true })).toHaveValue("2026-01-02");
});

/** Opens a report with days before today, which a new server cannot have. */
async function openPastDays() {
  await store.branch(uniqueCode("Filial"));
  await page.reload();
  await expect(page.locator("#title")).toBeVisible();
  const entry = (
    day: string,
    storeId: number,
    created: number,
    delivered: number,
    meanMinutes: number | null,
    p90Minutes: number | null,
    latePercent: number | null,
  ) => ({
    day,
    storeId,
    created,
    delivered,
    cancelled: created - delivered,
    failed: 0,
    fees: delivered * 10.5,
    meanMinutes,
    p90Minutes,
    late: 0,
    latePercent,
  });
  const own = store.id;
  const days = [
    entry("2026-03-01", own, 30, 30, 20, 40, 10),
    entry("2026-03-01", own + 1, 12, 10, 40, 60, 50),
    entry("2026-03-03", own, 5, 0, null, null, null),
  ];
  await page.route("**/delivery/reports/days*", (route) => route.fulfill({ json: { days } }));
  await goTo(page, "/reports?from=2026-03-01&to=2026-03-04");
}

test("figures of several stores are combined, and charts work with the keyboard", async () => {
  await openPastDays();
  const minutes = page.getByRole("slider", { name: /^Minutos até a entrega/ });
  await minutes.focus();
  await expect(minutes).toHaveAttribute(
    "aria-valuetext",
    "04/03, Média: sem valor, 90 de cada 100 em até: sem valor",
  );
  await page.keyboard.press("Home");
  await expect(minutes).toHaveAttribute(
    "aria-valuetext",
    "01/03, Média: 25 min, 90 de cada 100 em até: 60 min",
  );
  await page.keyboard.press("ArrowRight");
  await expect(minutes).toHaveAttribute("aria-valuetext", /^02\/03, Média: sem valor/);
  const bars = page.getByRole("slider", { name: /^Pedidos por dia/ });
  const box = (await bars.locator("svg").boundingBox()) ?? { x: 0, y: 0, width: 0 };
  await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
  await expect(bars).toHaveAttribute(
    "aria-valuetext",
    "01/03, Entregues: 40, Em andamento: 0, Cancelados: 2, Não entregues: 0",
  );
  await expect(bars.locator(".bar")).toHaveCount(3);
  await page.getByText("Tabela por dia").click();
  const rows = page.getByRole("table", { name: "Tabela por dia" }).locator("tbody tr");
  await expect(rows).toHaveCount(4);
  await expect(rows.first()).toHaveText(
    /01\/03\/2026\s+42\s+40\s+2\s+0\s+R\$\s420,00\s+25 min\s+60 min\s+20 %/,
    { useInnerText: true },
  );
  await screenshot(page, "reports-stores");
});

test("paper shows the charts without the menu", async () => {
  await openPastDays();
  await expect(page.locator(".chart svg").first()).toBeVisible();
  const text = await printed(page, "reports");
  expect(text.startsWith("%PDF")).toBeTruthy();
  await page.emulateMedia({ media: "print" });
  for (const hidden of [".side", ".filters", ".page-aside"])
    await expect(page.locator(hidden), hidden).toBeHidden();
  await expect(page.locator(".chart svg").first()).toBeVisible();
  await expect(page.getByText("Todas as lojas, 01/03/2026 a 04/03/2026")).toBeVisible();
  await page.emulateMedia({ media: null });
});
