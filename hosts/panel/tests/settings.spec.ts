// What an owner sets for a store: the delivery area and the days on which it is closed.
import { VERGUEIRO } from "./support/api";
import { expect, test } from "./support/fixtures";
import { defectsEverywhere, goTo } from "./support/page";

test("an owner draws the delivery area, which decides orders", async ({ panel: page, store }) => {
  const area = async () => {
    const { body } = await store.api("GET", `/delivery/stores/${store.id}/service-area`);
    return body.serviceArea?.coordinates[0] ?? null;
  };
  await goTo(page, "/settings");
  const form = page.getByTestId("area");
  const save = form.getByRole("button", { name: "Salvar área" });
  const corners = form.locator(".corner");

  // A circle around the store.
  await form.getByLabel("Raio em km").fill("3,5");
  await form.getByRole("button", { name: "Desenhar um círculo" }).click();
  await expect(corners).toHaveCount(32);
  expect(await defectsEverywhere(page, "area")).toEqual([]);
  await save.click();
  await expect.poll(area).toHaveLength(33);
  const far = { ...VERGUEIRO, latitude: VERGUEIRO.latitude - 0.2 };
  const preview = await store.api("POST", "/delivery/orders/preview", {
    deliveries: [{ name: "Maria Silva", onlinePayment: true, address: far }],
  });
  expect([preview.status, preview.body.code]).toEqual([422, "out_of_area"]);

  // The area is drawn again after a reload; a click adds a corner, and keys move and remove one.
  await page.reload();
  await expect(corners).toHaveCount(32);
  const map = form.locator(".area-map");
  await map.click({ position: { x: 30, y: 300 } });
  await expect(corners).toHaveCount(33);
  await form.getByRole("button", { name: "Canto 1", exact: true }).focus();
  const top = async () => (await corners.first().boundingBox())!.y;
  const before = await top();
  await page.keyboard.press("ArrowDown");
  await expect.poll(top).toBe(before + 10);
  await page.keyboard.press("Delete");
  await expect(corners).toHaveCount(32);
  await expect(corners.first()).toBeFocused();
  await form.getByRole("button", { name: "Desfazer" }).click();
  await expect(corners).toHaveCount(33);

  // Without an area, the store delivers everywhere again.
  await form.getByRole("button", { name: "Remover a área" }).click();
  await expect(form.getByText("Sem área")).toBeVisible();
  await save.click();
  await expect.poll(area).toBeNull();

  // Two corners are no area: the API says why, and the drawing stays.
  for (const x of [100, 200]) await map.click({ position: { x, y: 150 } });
  await save.click();
  await expect(form.locator(".error-box")).toBeVisible();
  await expect(corners).toHaveCount(2);
});

test("national holidays are added once, and stored", async ({ panel: page, store }) => {
  await goTo(page, "/settings");
  const form = page.getByTestId("hours");
  const dates = form.locator("input[type=date]");
  const add = form.getByRole("button", { name: "Adicionar feriados nacionais" });
  await add.click();
  await expect(dates).toHaveCount(10);
  await add.click();
  await expect(dates).toHaveCount(10);
  await form.getByRole("button", { name: "Salvar" }).click();
  await expect
    .poll(async () => {
      const { body } = await store.api("GET", `/delivery/stores/${store.id}/hours`);
      return (body.exceptions ?? []).filter((one: { closed: boolean }) => one.closed).length;
    })
    .toBe(10);
});
