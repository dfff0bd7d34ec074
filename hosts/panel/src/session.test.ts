// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { credentials } from "./api/http";
import { createDraft } from "./draft";
import {
  ended,
  isOwner,
  isParentStore,
  logIn,
  logOut,
  accessibleStores,
  session,
  setPreparation,
  store,
  storeName,
  zone,
} from "./session";

/** The answers of the service, by path. */
let answers: Record<string, () => Response>;

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
const address = { city: "Manaus", state: "AM" };
const branch = { id: 8, name: "Filial", matrix: { id: 7 }, preparationTime: null };

beforeEach(() => {
  answers = {
    "/delivery/sessions": () =>
      json({
        id: "70",
        value: "key",
        storeId: "7",
        expiresAt: "2999-01-01T00:00:00Z",
        sessions: [{ current: true, role: "OWNER" }],
      }),
    "/delivery/stores/7": () => json({ id: 7, name: "Matriz", matrix: null, address }),
    "/delivery/stores": () =>
      json({ stores: [{ id: 7, name: "Matriz" }, branch], nextCursor: null }),
    "/delivery/keys/70": () => new Response(null, { status: 204 }),
  };
  vi.stubGlobal("fetch", async (url: string) => {
    const { pathname } = new URL(url, location.href);
    const answer = answers[pathname];
    if (answer === undefined) throw new Error(`no answer for ${pathname}`);
    return answer();
  });
});
afterEach(async () => {
  await logOut();
  vi.unstubAllGlobals();
});

const draft = createDraft("session-test", () => "");

test("a login loads the store, its branches and the role", async () => {
  await logIn("a@example.com", "password");
  expect(credentials.key).toBe("key");
  expect(sessionStorage.getItem("despacho.session")).toContain('"storeId":"7"');
  expect([isOwner.value, isParentStore.value, zone.value]).toEqual([true, true, "America/Manaus"]);
  await vi.waitFor(() => expect(accessibleStores.value.map((one) => one.id)).toEqual([7, 8]));
  expect([storeName(8), storeName(9)]).toEqual(["Filial", "#9"]);
  setPreparation(8, 25);
  expect(accessibleStores.value.map((one) => one.preparationTime)).toEqual([undefined, 25]);
});

test("a clerk is no owner", async () => {
  const login = answers["/delivery/sessions"]!;
  let calls = 0;
  answers["/delivery/sessions"] = () => {
    calls += 1;
    return calls === 1 ? login() : json({ sessions: [{ current: true, role: "CLERK" }] });
  };
  await logIn("a@example.com", "password");
  expect(isOwner.value).toBe(false);
});

test("the draft of an ended session returns to its store, and to no other one", async () => {
  await logIn("a@example.com", "password");
  draft.value = "Ana";
  credentials.onRejected();
  expect([session.value, store.value, ended.value, credentials.key]).toEqual([
    null,
    null,
    true,
    null,
  ]);
  await logIn("a@example.com", "password");
  expect([draft.value, ended.value]).toEqual(["Ana", false]);
  credentials.onRejected();
  answers["/delivery/sessions"] = () =>
    json({ id: "80", value: "other", storeId: "8", expiresAt: "2999-01-01", sessions: [] });
  answers["/delivery/stores/8"] = () => json({ ...branch, address });
  answers["/delivery/keys/80"] = () => new Response(null, { status: 204 });
  await logIn("b@example.com", "password");
  expect(draft.value).toBe("");
});

test("a logout forgets everything, also if the server does not confirm it", async () => {
  await logIn("a@example.com", "password");
  draft.value = "Ana";
  answers["/delivery/keys/70"] = () => json({}, 503);
  expect(await logOut()).toBe(false);
  expect([session.value, store.value, draft.value, ended.value]).toEqual([null, null, "", false]);
  expect(sessionStorage.getItem("despacho.session")).toBeNull();
});
