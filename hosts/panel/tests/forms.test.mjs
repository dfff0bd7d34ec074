// Every form with bad input, and what is typed when the network or the session ends: the API's words at the field, nothing lost.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { BASE, VERGUEIRO, api, request, fillAddress, fresh, freshCnpj, goTo, launch, open, opened, shot } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const at = (pointer) => `#f${pointer.replace(/[^A-Za-z0-9]/g, "-")}`;
const dialog = (page) => page.locator("dialog[open]");
const gone = (page) => page.waitForSelector("dialog[open]", { state: "detached" });

/** Every error of a response is shown at its field, in the words of the API, and the field is marked. */
async function shown(page, rejected, min) {
  assert.ok(rejected.status >= 400, `the request succeeded: ${JSON.stringify(rejected)}`);
  const { errors } = rejected.body;
  assert.ok(errors.length >= min, JSON.stringify(rejected.body));
  for (const { pointer } of errors) {
    const words = errors.filter((one) => one.pointer === pointer).map((one) => one.detail).join(" ");
    await page.locator(`${at(pointer)}-fault`).waitFor();
    assert.equal(await page.locator(`${at(pointer)}-fault`).innerText(), words, pointer);
    assert.equal(await page.getAttribute(at(pointer), "aria-invalid"), "true", pointer);
    assert.ok((await page.getAttribute(at(pointer), "aria-describedby")).includes(`${at(pointer).slice(1)}-fault`), pointer);
  }
  // What is wrong is announced, and leads to its field.
  await page.locator(".error-box .link").first().click();
  assert.equal(await page.evaluate(() => `#${document.activeElement.id}`), at(errors[0].pointer));
}

test("invalid input in every form is shown at its field, in the words of the API", async () => {
  const { page, wrongs, context } = await open(browser);
  await page.goto(BASE);
  await page.waitForFunction(() => document.querySelector("#f-password")?.value !== "");
  await page.fill("#f-email", "no-address");
  await page.fill("#f-password", "");
  await page.click("button[type=submit]");
  await page.waitForSelector(".error-box");
  await shown(page, await request("", "POST", "/delivery/sessions", { email: "no-address", password: "" }), 1);
  await page.fill("#f-email", "matriz@demo.despacho.example");
  await page.fill("#f-password", "despacho-demo");
  await page.click("button[type=submit]");
  await page.waitForSelector(".side");
  const rejected = (to, body) => api(page, "POST", to, body, "pt-BR");

  await goTo(page, "/orders/new");
  const door = "/deliveries/0";
  await page.fill(at("/preparationTime"), "1441");
  await page.fill(at(`${door}/phone`), "11987654321");
  await page.fill(at(`${door}/productValue`), "-1");
  await page.fill(at(`${door}/address/zipCode`), "123");
  await page.click("form.create button[type=submit]");
  await page.waitForSelector(".error-box");
  const order = {
    code: "", preparationTime: 1441, previewDeliveryTime: true, sortByBestRoute: false,
    deliveries: [{ name: "", phone: "11987654321", productValue: -1, onlinePayment: true, confirmation: { platform: true }, address: { zipCode: "123" } }],
  };
  await shown(page, await rejected("/delivery/orders", order), 6);
  // A word where a number belongs.
  await page.fill(at("/preparationTime"), "vinte");
  await page.click("form.create button[type=submit]");
  await page.waitForFunction((before) => document.querySelector(".error-box")?.textContent !== before, await page.locator(".error-box").innerText());
  const worded = await rejected("/delivery/orders", { ...order, preparationTime: "vinte" });
  await page.waitForFunction((words) => document.querySelector("#f-preparationTime-fault")?.textContent === words, worded.body.errors.find((one) => one.pointer === "/preparationTime").detail);

  await goTo(page, "/stores/new");
  await page.fill("#f-name", "Abc");
  await page.fill("#f-cnpj", "11.222.333/0001-80");
  await page.fill("#f-email", "no-address");
  await page.fill("#f-password", "short");
  await page.click("form button[type=submit]");
  await page.waitForSelector(".error-box");
  const store = { name: "Abc", cnpj: "11.222.333/0001-80", email: "no-address", password: "short", responsible: { name: "", phone: "" }, address: {}, marketplaceBranchId: 1 };
  await shown(page, await rejected("/delivery/stores", store), 9);

  await goTo(page, "/keys");
  await page.getByRole("button", { name: "Nova chave" }).click();
  await page.fill("#f-expiresInDays", "0");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog .error-box");
  await shown(page, await rejected("/delivery/keys", { expiresInDays: 0 }), 1);
  await shot(page, "dialog-key-rejected");
  await page.fill("#f-expiresInDays", "um ano");
  await page.click("dialog button[type=submit]");
  const text = await rejected("/delivery/keys", { expiresInDays: "um ano" });
  await page.waitForFunction((words) => document.querySelector("#f-expiresInDays-fault")?.textContent === words, text.body.errors[0].detail);
  await page.keyboard.press("Escape");
  await gone(page);

  await goTo(page, "/webhooks");
  await page.getByRole("button", { name: "Novo webhook" }).click();
  await page.fill("#f-url", "http://10.0.0.1/");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog .error-box");
  await shown(page, await rejected("/delivery/webhooks", { url: "http://10.0.0.1/", events: [] }), 1);
  assert.deepEqual(wrongs, []);
  await context.close();
});

test("a key is made, works, is revoked, and works no more", async () => {
  const { page, wrongs, context } = await opened(browser);
  await goTo(page, "/keys");
  await page.getByRole("button", { name: "Nova chave" }).click();
  const name = fresh("Caixa");
  await page.fill("#f-name", name);
  await page.fill("#f-expiresInDays", "30");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("#f-currentPassword-fault");
  await page.fill("#f-currentPassword", "despacho-demo");
  await page.click("dialog button[type=submit]");
  await gone(page);
  const value = await page.locator(".secret code").innerText();
  assert.match(value, /^dsp_/);
  assert.equal((await request(value, "GET", "/delivery/orders")).status, 200);
  const row = page.locator(".table tr", { hasText: name });
  await row.getByText("Ativa").waitFor();
  await row.getByRole("button", { name: /Revogar/ }).click();
  await shot(page, "dialog-revoke");
  await page.click("dialog button[type=submit]");
  await gone(page);
  await row.getByText("Revogada").waitFor();
  assert.equal((await request(value, "GET", "/delivery/orders")).body.code, "api_key_revoked");
  assert.deepEqual(wrongs, []);
  await context.close();
});

test("the statement is kept as a file for a spreadsheet", async () => {
  const { page, wrongs, context } = await opened(browser);
  const made = await api(page, "POST", "/delivery/orders", { code: fresh("CONTA"), deliveries: [{ address: VERGUEIRO }] });
  await goTo(page, "/balance");
  await page.locator(".table.lines tbody tr", { hasText: `#${made.body.id}` }).waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Baixar CSV" }).click()]);
  assert.match(file.suggestedFilename(), /^despacho-\d+-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await file.path(), "utf8")).trim().split(/\r?\n/);
  assert.ok(lines.length > 1 && lines.some((line) => line.includes(String(made.body.id))), lines.join("\n"));
  assert.deepEqual(wrongs, []);
  await context.close();
});

test("a branch that is typed while the network is away is created once it is back, and removed", async () => {
  const { page, context } = await opened(browser);
  await goTo(page, "/stores/new");
  const name = `Filial ${fresh("Q")}`;
  await page.fill("#f-name", name);
  await page.fill("#f-cnpj", freshCnpj());
  await page.fill("#f-responsible-name", "Equipe");
  await page.fill("#f-responsible-phone", "+5511990000301");
  await context.setOffline(true);
  await page.waitForSelector(".banner");
  await fillAddress(page, "#f-address", VERGUEIRO);
  await page.fill("#f-email", `${fresh("queda").toLowerCase()}@demo.despacho.example`);
  await page.fill("#f-password", "a long password");
  await page.fill("#f-currentPassword", "despacho-demo");
  await page.click("form button[type=submit]");
  await page.locator(".state[role=alert]").waitFor({ timeout: 30_000 });
  assert.equal(await page.inputValue("#f-name"), name);
  assert.equal(await page.inputValue("#f-password"), "a long password");
  await context.setOffline(false);
  await page.click("form button[type=submit]");
  await page.locator(".secret code").waitFor();
  const row = page.locator(".table tr", { hasText: name });
  await row.getByRole("button", { name: /Remover/ }).click();
  await page.click("dialog button[type=submit]");
  await gone(page);
  await row.waitFor({ state: "detached" });
  await context.close();
});

test("a session that ends during input loses nothing", async () => {
  const { page, wrongs, context } = await opened(browser);
  const code = fresh("SESSAO");
  await goTo(page, "/orders/new");
  await page.fill("#f-code", code);
  await fillAddress(page, "#f-deliveries-0-address", VERGUEIRO);
  await page.fill("#f-deliveries-0-observation", "Portão verde");
  const { keyId } = await page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")));
  assert.equal((await api(page, "DELETE", `/delivery/keys/${keyId}`)).status, 204);
  // Whichever request meets it first: this one, or one of the page's own.
  await page.click("form.create button[type=submit]", { timeout: 3_000 }).catch(() => {});
  await page.locator(".login .notice").waitFor();
  await shot(page, "login-ended");
  await page.fill("#f-email", "matriz@demo.despacho.example");
  await page.fill("#f-password", "despacho-demo");
  await page.click("button[type=submit]");
  await page.waitForSelector("#f-code");
  assert.equal(await page.inputValue("#f-code"), code);
  assert.equal(await page.inputValue("#f-deliveries-0-observation"), "Portão verde");
  await page.waitForFunction(() => /R\$/.test(document.querySelector("[data-testid=price]")?.textContent ?? ""));
  await page.click("form.create button[type=submit]");
  await page.waitForFunction((wanted) => document.querySelector("#title")?.textContent?.includes(wanted), code);
  // A logout leaves nothing to the next person.
  await goTo(page, "/orders/new");
  await page.fill("#f-code", "MEU");
  const { key } = await page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")));
  await page.getByRole("button", { name: "Sair" }).click();
  await page.waitForSelector(".login");
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), /MEU/);
  // The key is revoked on the server: a copy of it opens nothing.
  const copy = async () => (await request(key, "GET", "/delivery/orders")).body.code;
  for (let tries = 0; tries < 50 && (await copy()) !== "api_key_revoked"; tries += 1) await page.waitForTimeout(100);
  assert.equal(await copy(), "api_key_revoked");
  assert.deepEqual(wrongs, []);
  await context.close();
});
