// Helpers of the tests of the operator's console.
import { BASE, open } from "./browser.mjs";

export const TOKEN = process.env.DESPACHO_PANEL_ADMIN ?? "panel-tests-operator-token";

export async function signIn(page) {
  await page.fill("#f-token", TOKEN);
  await page.click("button[type=submit]");
  await page.waitForSelector(".side");
}

/** Opens the console and signs in. */
export async function openConsole(browser, options) {
  const opened = await open(browser, options);
  await opened.page.goto(`${BASE}/admin`);
  await signIn(opened.page);
  return opened;
}
