// The operator's pages for tariffs: versions, the editor with its checks, prices, past orders, and activation.
import { operator, uniqueCode, type Body } from "./support/api";
import { expect, test } from "./support/fixtures";
import { sendAfterLostNetwork } from "./support/forms";
import { LOOKS, closingDefects, defects, goTo, isAt, screenshot } from "./support/page";
import type { Page } from "@playwright/test";

let page: Page;
test.beforeEach(({ console }) => {
  page = console;
});

const list = async (): Promise<Body[]> => (await operator("GET", "/admin/tariffs")).body.tariffs;
const current = async () => (await list()).find((one) => one.state === "CURRENT");
const row = (name: string) => page.locator("tbody tr", { hasText: name });
const copy = (name: string) =>
  row(name)
    .getByRole("button", { name: /^Copiar para o rascunho/ })
    .click();
const valid = () => expect(page.getByText("O rascunho é válido.")).toBeVisible();
const version = () => uniqueCode("T").replaceAll(/[^A-Z0-9-]/g, "");
const first = () => page.locator(".prices tbody tr").first().locator("td").first();

async function openDraft() {
  await goTo(page, "/tariffs");
  const found = await current();
  await expect(row(found.tariff.version).first()).toBeVisible();
  await copy(found.tariff.version);
  await expect(page.locator("#f-tariff-baseFee")).toBeVisible();
  return found;
}

/** Creates a scheduled tariff. */
async function schedule() {
  const { tariff } = await current();
  const effectiveFrom = new Date(Date.now() + 90 * 86_400_000).toISOString();
  const made = await operator("POST", "/admin/tariffs", {
    tariff: { ...tariff, version: version() },
    effectiveFrom,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body;
}

async function discard() {
  await page.getByRole("button", { name: "Descartar o rascunho" }).click();
  await page.locator("dialog[open] .button.danger").click();
  await isAt(page, "#/tariffs");
}

test("editor shows the server's errors at their fields while the operator types", async () => {
  await openDraft();
  await page.fill("#f-tariff-version", version());
  await page.fill("#f-tariff-baseFee", "dez");
  await expect(
    page.locator("#f-tariff-baseFee-error").getByText("Digite um número, como 7,90."),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Pôr em vigor" })).toBeDisabled();
  await page.fill("#f-tariff-baseFee", "10001");
  await expect(page.locator("#f-tariff-baseFee-error")).toHaveText(/10[.,]?000/);
  await page.fill("#f-tariff-baseFee", "9,25");
  await expect(page.locator("#f-tariff-baseFee-error")).toHaveCount(0);
  await page.getByRole("button", { name: "Adicionar acréscimo" }).click();
  const at = (await page.locator("fieldset.rule").count()) - 1;
  await expect(page.locator(`#f-tariff-windows-${at}-name-error`)).toBeVisible();
  await page.fill(`#f-tariff-windows-${at}-name`, "almoço");
  await page.fill(`#f-tariff-windows-${at}-percent`, "501");
  await expect(page.locator(`#f-tariff-windows-${at}-percent-error`)).toBeVisible();
  await page.fill(`#f-tariff-windows-${at}-percent`, "12,5");
  await valid();
  await expect(page.getByText("Em vigor: ").first()).toBeVisible();
  await page.getByRole("button", { name: `Remover o acréscimo ${at + 1}` }).click();
  await page.getByRole("button", { name: "Adicionar veículo" }).click();
  await expect(page.locator("#f-tariff-vehicles-0-fee-error")).toBeVisible();
  await page.selectOption("#f-tariff-vehicles-0-vehicle", "MOTORBIKE_BOX");
  await page.fill("#f-tariff-vehicles-0-fee", "3,50");
  await valid();
  const before = await first().innerText();
  await page.selectOption("#f-samples-vehicle", "CAR");
  await expect(first()).not.toHaveText(before);
  await page.getByRole("button", { name: "Remover o veículo 1" }).click();
  await page.selectOption("#f-samples-vehicle", "");
});

test("prices of samples compare the draft with the tariff in force", async () => {
  const { tariff } = await openDraft();
  await page.fill("#f-tariff-version", version());
  await page.fill("#f-tariff-minimumFee", "0");
  await page.fill("#f-tariff-baseFee", String(Number(tariff.baseFee) + 1).replace(".", ","));
  await page.fill("#f-samples-distances", "1; 4,5");
  await page.fill("#f-samples-times", "12:00; 15:30; 16:00");
  await expect(page.locator(".prices tbody td")).toHaveCount(6);
  await valid();
  await expect(first().getByText("(+R$")).toBeVisible();
  await expect(first()).toHaveText(/\+R\$\s1,00/, { useInnerText: true });
  await expect(page.locator(".prices tbody th")).toHaveText(["1,00 km", "4,50 km"]);
  // Orders over the longest route have no price.
  await page.fill("#f-tariff-maxDistanceKm", "4");
  await expect(
    page
      .locator(".prices tbody tr")
      .last()
      .locator("td strong")
      .first()
      .getByText("fora do limite"),
  ).toBeVisible();
  await page.fill("#f-tariff-maxDistanceKm", String(tariff.maxDistanceKm).replace(".", ","));
  await page.fill("#f-samples-times", "25:00");
  await expect(page.locator(".field.invalid #f-samples-times").first()).toBeVisible();
  await page.fill("#f-samples-times", "12:00");
});

test("draft survives a reload and a lost network", async () => {
  await openDraft();
  await page.fill("#f-tariff-version", version());
  await page.fill("#f-tariff-baseFee", "9,87");
  await valid();
  const typed = await page.inputValue("#f-tariff-baseFee");
  await page.reload();
  await expect(page.locator("#f-tariff-baseFee")).toBeVisible();
  await expect(page.locator("#f-tariff-baseFee")).toHaveValue(typed);
  await valid();
  await page.context().setOffline(true);
  await page.fill("#f-tariff-perKm", "3,33");
  await expect(page.getByText("Não foi possível conectar ao servidor.")).toBeVisible();
  await page.context().setOffline(false);
  await valid();
  await expect(page.locator("#f-tariff-perKm")).toHaveValue("3,33");
  // The list offers the draft, and does not replace it without a confirmation.
  await goTo(page, "/tariffs");
  await expect(page.getByRole("link", { name: "Continuar o rascunho" })).toBeVisible();
  await copy((await current()).tariff.version);
  await expect(page.locator("dialog[open]").getByText("Substituir o rascunho?")).toBeVisible();
  await page.keyboard.press("Escape");
  await goTo(page, "/tariffs/draft");
  await expect(page.locator("#f-tariff-perKm")).toHaveValue("3,33");
});

test("a tariff can be pasted as JSON", async () => {
  const { tariff } = await openDraft();
  const name = version();
  await page.getByText("JSON", { exact: true }).first().click();
  const apply = async (text: string) => {
    await page.fill("#f-json", text);
    await page.getByRole("button", { name: "Usar este JSON" }).click();
  };
  for (const [text, expected] of [
    ["{", "Isto não é um objeto JSON."],
    [JSON.stringify({ ...tariff, bonus: 1 }), "Campos desconhecidos: bonus."],
    [JSON.stringify({ ...tariff, perKm: undefined }), "Campos ausentes: perKm."],
  ] as const) {
    await apply(text);
    await expect(page.locator("#f-json-error").getByText(expected)).toBeVisible();
  }
  await apply(
    JSON.stringify({
      tariff: {
        ...tariff,
        version: name,
        baseFee: 12.34,
        windows: [
          { name: "noite", days: ["mon", "Sunday"], from: "20:00", until: "06:00", percent: 7.5 },
        ],
      },
    }),
  );
  await expect(page.locator("#f-tariff-baseFee")).toHaveValue("12,34");
  await expect(page.locator("#f-tariff-version")).toHaveValue(name);
  await expect(page.locator("#f-tariff-windows-0-percent")).toHaveValue("7,5");
  await expect(page.locator("#f-tariff-windows-0-from")).toHaveValue("20:00");
  await expect(page.locator(".weekdays label:has(input:checked)")).toHaveText(["seg", "dom"]);
  await valid();
  await discard();
});

test("past orders are compared, and warnings are prominent", async () => {
  await openDraft();
  await page.fill("#f-tariff-version", version());
  await page.fill("#f-days", "93");
  await expect(page.locator(".field.invalid #f-days").first()).toBeVisible();
  await page.fill("#f-days", "7");
  // A store that does not exist, and one that is not chosen from the list.
  const store = page.getByLabel("Loja");
  await store.fill("#999999999");
  await page.getByRole("button", { name: "Calcular" }).click();
  await expect(page.locator("#store-error")).toBeVisible();
  await expect(store).toHaveAttribute("aria-invalid", "true");
  await expect(store).toHaveAttribute("aria-describedby", "store-error");
  await expect(page.locator(".error-box")).toHaveCount(0);
  await store.fill("Cantina");
  await expect(page.locator("#store-error").getByText("Escolha uma loja da lista.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Calcular" })).toBeDisabled();
  await store.fill("");
  await expect(page.locator("#store-error")).toHaveCount(0);
  await page.getByRole("button", { name: "Calcular" }).click();
  await expect(page.getByTestId("what-if")).toBeVisible();
  await page.fill("#f-tariff-baseFee", "8,88");
  await expect(page.getByText("O rascunho mudou depois desta comparação.")).toBeVisible();

  // More orders than a portion has, and a draft that rejects some, need more data than a test has.
  const compared = {
    storeId: 1000,
    storeName: "Cantina",
    orders: 9,
    currentFee: 90,
    draftFee: 80.5,
    difference: -9.5,
    outOfRange: 2,
  };
  const json = {
    from: "2026-11-01T03:00:00Z",
    until: "2026-11-08T03:00:00Z",
    orders: 9,
    currentFee: 90,
    draftFee: 80.5,
    difference: -9.5,
    outOfRange: 2,
    stores: [compared],
  };
  const portions: Record<string, object> = {
    first: { ...json, comparedFrom: "2026-11-04T03:00:00Z", nextCursor: "second" },
    second: { ...json, comparedFrom: json.from, nextCursor: null },
  };
  let answers: string[] = [];
  await page.route("**/admin/tariffs/what-if", async (route) => {
    const portion = (route.request().postDataJSON().cursor as string | undefined) ?? "first";
    // The other portions are never answered.
    if (answers.includes(portion)) await route.fulfill({ json: portions[portion] });
  });
  const shown = page.getByTestId("what-if");
  const before = await shown.innerText();
  answers = ["first"];
  await page.getByRole("button", { name: "Calcular" }).click();
  await expect(page.getByText("9 pedidos comparados até agora")).toBeVisible();
  await expect(page.locator("progress")).toHaveJSProperty("position", 4 / 7);
  await page.getByRole("button", { name: "Parar" }).click();
  await expect(page.locator("progress")).toHaveCount(0);
  expect(await shown.innerText(), "a stopped comparison has no result").toBe(before);
  answers = ["first", "second"];
  await page.getByRole("button", { name: "Calcular" }).click();
  await expect(
    page.locator("[role=alert]").getByText("O rascunho recusaria 4 destes pedidos"),
  ).toBeVisible();
  await expect(shown.locator("tbody tr")).toHaveText(
    /Cantina #1000\s+18\s+R\$\s180,00\s+R\$\s161,00\s+-R\$\s19,00\s+4/,
    { useInnerText: true },
  );
  await screenshot(page, "console-tariff");
  await page.unroute("**/admin/tariffs/what-if");
  await discard();
});

test("activation shows the total, schedules the tariff, and a scheduled one can be deleted", async () => {
  const { tariff } = await openDraft();
  await expect(
    page.locator("#f-tariff-version"),
    "the draft has a version of its own",
  ).not.toHaveValue(tariff.version);
  await page.fill("#f-tariff-version", tariff.version);
  await page.fill("#f-tariff-baseFee", "9,99");
  await valid();
  // The version of another tariff is an error of its field, also after the confirmation.
  await page.getByRole("button", { name: "Pôr em vigor" }).click();
  const dialog = page.locator("dialog[open]");
  await expect(dialog.getByTestId("summary")).toBeVisible();
  await dialog.getByRole("button", { name: "Pôr em vigor" }).click();
  await expect(page.locator("#f-tariff-version-error")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("#f-tariff-version")).toHaveValue(tariff.version);

  const name = version();
  await page.fill("#f-tariff-version", name);
  await expect(page.locator("#f-tariff-version-error")).toHaveCount(0);
  await valid();
  await page.getByRole("button", { name: "Pôr em vigor" }).click();
  await expect(dialog.getByText(`Pôr a tarifa ${name} em vigor?`)).toBeVisible();
  await expect(dialog.getByTestId("summary")).toBeVisible();
  const year = new Date().getUTCFullYear();
  await page.fill("#f-effectiveFrom", `${year + 2}-01-01T08:00`);
  await dialog.getByRole("button", { name: "Pôr em vigor" }).click();
  await expect(page.locator("#f-effectiveFrom-error")).toBeVisible();
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await page.fill("#f-effectiveFrom", `${soon}T08:00`);
  await sendAfterLostNetwork(page, dialog.locator("form"));
  await expect(row(name).getByText("Agendada")).toBeVisible();
  await expect(
    page.getByRole("link", { name: "Continuar o rascunho" }),
    "the draft is used up",
  ).toHaveCount(0);
  const stored = (await list()).find((one) => one.tariff.version === name);
  expect(stored.state).toBe("SCHEDULED");
  expect(stored.tariff.baseFee).toBe("9.99");
  await row(name)
    .getByRole("button", { name: /^Excluir/ })
    .click();
  await page.locator("dialog[open] .button.danger").click();
  await expect(row(name)).toHaveCount(0);
  expect((await list()).some((one) => one.tariff.version === name)).toBe(false);
});

for (const { device, colorScheme, ...options } of LOOKS) {
  test(`list, editor and confirmation look right: ${device}, ${colorScheme}, ${options.locale}`, async ({
    openConsole,
  }) => {
    const page = await openConsole({ ...options, colorScheme });
    const found: string[] = [];
    const check = async (name: string) =>
      found.push(...(await defects(page, `console-${name}`, `${device}-${colorScheme}`)));
    await goTo(page, "/tariffs/draft");
    await check("tariff-none");
    await goTo(page, "/tariffs");
    await expect(page.locator(".table").first()).toBeVisible();
    await check("tariffs");
    await page.locator(".actions-cell .button").last().click();
    await expect(page.locator(".prices:not(.old)").first()).toBeVisible();
    await page.fill("#f-tariff-perKm", "1001");
    await expect(page.locator("#f-tariff-perKm-error")).toBeVisible();
    await check("tariff-rejected");
    await page.fill("#f-tariff-perKm", "2");
    await expect(page.locator("#f-tariff-perKm-error")).toHaveCount(0);
    await page.locator("[aria-labelledby=what-if] .button").click();
    await expect(page.getByTestId("what-if")).toBeVisible();
    await expect(page.locator(".prices:not(.old)").first()).toBeVisible();
    await page.locator(".tariff summary").click();
    await check("tariff-draft");
    await page.locator(".tariff .button.primary").click();
    await expect(page.getByTestId("summary")).toBeVisible();
    await check("dialog-tariff");
    found.push(...(await closingDefects(page, "dialog-tariff")));
    await page.locator(".sections > .row .button:not(.primary)").click();
    await check("dialog-tariff-discard");
    found.push(...(await closingDefects(page, "dialog-tariff-discard")));
    const scheduled = await schedule();
    await goTo(page, "/tariffs");
    for (const [name, at] of [
      ["copy", 0],
      ["remove", 1],
    ] as const) {
      await page
        .locator("tr", { hasText: scheduled.tariff.version })
        .locator(".actions-cell .button")
        .nth(at)
        .click();
      await check(`dialog-tariff-${name}`);
      found.push(...(await closingDefects(page, `dialog-tariff-${name}`)));
    }
    await operator("DELETE", `/admin/tariffs/${scheduled.id}`);
    expect(found).toEqual([]);
  });
}
