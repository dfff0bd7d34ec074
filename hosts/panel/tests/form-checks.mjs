// Helpers of the tests of forms: errors at fields, and lost networks.
import assert from "node:assert/strict";

/** Returns the selector of the field of a JSON pointer. */
export const at = (pointer) => `#f${pointer.replace(/[^A-Za-z0-9]/g, "-")}`;

/** Asserts that every error of a response is shown next to its field, with the text of the API. */
export async function assertShown(page, rejected, min) {
  assert.ok(rejected.status >= 400, `the request succeeded: ${JSON.stringify(rejected)}`);
  const { errors } = rejected.body;
  assert.ok(errors.length >= min, JSON.stringify(rejected.body));
  for (const { pointer } of errors) {
    const details = errors
      .filter((one) => one.pointer === pointer)
      .map((one) => one.detail)
      .join(" ");
    await page.locator(`${at(pointer)}-error`).waitFor();
    assert.equal(await page.locator(`${at(pointer)}-error`).innerText(), details, pointer);
    assert.equal(await page.getAttribute(at(pointer), "aria-invalid"), "true", pointer);
    assert.ok(
      (await page.getAttribute(at(pointer), "aria-describedby")).includes(
        `${at(pointer).slice(1)}-error`,
      ),
      pointer,
    );
  }
  // The summary links to the field.
  await page.locator(".error-box .link").first().click();
  assert.equal(await page.evaluate(() => `#${document.activeElement.id}`), at(errors[0].pointer));
}

/** Sends the form without a network, waits for the error at it, and sends it again. The fields keep their values. */
export async function sendAfterLostNetwork(page, form) {
  const values = () =>
    form
      .locator("input, textarea, select")
      .evaluateAll((all) => all.map((one) => (one.type === "checkbox" ? one.checked : one.value)));
  const submit = form.locator("button[type=submit]");
  // Some fields format their value when they lose the focus.
  await submit.focus();
  const typed = await values();
  await page.context().setOffline(true);
  await submit.click();
  await form.locator(".error-box").waitFor();
  assert.deepEqual(await values(), typed, "nothing typed is lost");
  await page.context().setOffline(false);
  await submit.click();
}
