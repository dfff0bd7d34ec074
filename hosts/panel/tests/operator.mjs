// Helpers of the tests of the operator's console.
import assert from "node:assert/strict";
import { BASE, open } from "./browser.mjs";

export const TOKEN = process.env.DESPACHO_PANEL_ADMIN ?? "panel-tests-operator-token";

export async function signIn(page) {
  await page.fill("#f-token", TOKEN);
  await page.click("button[type=submit]");
  await page.waitForSelector(".side");
}

/** Sends the form without a network, waits for the error at it, and sends it again. The fields keep their values. */
export async function sendAfterLostNetwork(page, form) {
  const values = () => form.locator("input, textarea, select").evaluateAll((all) => all.map((one) => (one.type === "checkbox" ? one.checked : one.value)));
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

/** Opens the console and signs in. */
export async function openConsole(browser, options) {
  const opened = await open(browser, options);
  await opened.page.goto(`${BASE}/admin`);
  await signIn(opened.page);
  return opened;
}
