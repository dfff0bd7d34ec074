/** Helpers for forms: errors at fields, and lost networks. */
import { expect, type Locator, type Page } from "@playwright/test";
import type { Reply } from "./api";
import { at } from "./page";

interface FieldError {
  pointer: string;
  detail: string;
}

/** Asserts that every error of a response is shown next to its field, with the text of the API. */
export async function assertShown(page: Page, rejected: Reply, min: number): Promise<void> {
  expect(rejected.status, JSON.stringify(rejected.body)).toBeGreaterThanOrEqual(400);
  const errors: FieldError[] = rejected.body.errors;
  expect(errors.length, JSON.stringify(rejected.body)).toBeGreaterThanOrEqual(min);
  for (const { pointer } of errors) {
    const details = errors.filter((one) => one.pointer === pointer).map((one) => one.detail);
    const field = page.locator(at(pointer));
    await expect(page.locator(`${at(pointer)}-error`), pointer).toHaveText(details.join(" "));
    await expect(field, pointer).toHaveAttribute("aria-invalid", "true");
    const described = new RegExp(`(^| )${at(pointer).slice(1)}-error( |$)`);
    await expect(field, pointer).toHaveAttribute("aria-describedby", described);
  }
  // The summary links to the field.
  await page.locator(".error-box .link").first().click();
  await expect(page.locator(at(errors[0]?.pointer ?? ""))).toBeFocused();
}

/** Sends the form without a network, waits for the error at it, and sends it again. The fields keep their values. */
export async function sendAfterLostNetwork(page: Page, form: Locator): Promise<void> {
  const values = () =>
    form
      .locator("input, textarea, select")
      .evaluateAll((all) =>
        (all as HTMLInputElement[]).map((one) =>
          one.type === "checkbox" ? one.checked : one.value,
        ),
      );
  const submit = form.locator("button[type=submit]");
  // Some fields format their value when they lose the focus.
  await submit.focus();
  const typed = await values();
  await page.context().setOffline(true);
  await submit.click();
  await expect(form.locator(".error-box")).toBeVisible();
  expect(await values(), "nothing typed is lost").toEqual(typed);
  await page.context().setOffline(false);
  await submit.click();
}
