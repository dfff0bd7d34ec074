// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError, credentials } from "../api/http";
import { createDraft } from "../draft";
import { ended, restore, signIn, signOut, state } from "./session";

let answer: () => Response | Promise<Response>;
let sent: { method: string; path: string; body: unknown; credentials: unknown }[] = [];

const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ status, code, detail: `detail of ${code}` }), { status });
const done = () => new Response(null, { status: 204 });
const lost = () => Promise.reject(new TypeError("network"));

beforeEach(() => {
  [sent, state.value, ended.value] = [[], "unknown", false];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const { pathname, search } = new URL(url);
    const body: unknown = init.body === null ? null : JSON.parse(String(init.body));
    const { method = "", credentials: sentCredentials } = init;
    sent.push({ method, path: pathname + search, body, credentials: sentCredentials });
    return answer();
  });
});
afterEach(() => vi.unstubAllGlobals());

test("the token is exchanged for a cookie, and no request has a key", async () => {
  answer = done;
  await signIn(" token ");
  expect(state.value).toBe("signedIn");
  expect(sent).toEqual([
    {
      method: "POST",
      path: "/admin/session",
      body: { token: "token" },
      credentials: "same-origin",
    },
  ]);
  expect(credentials.key).toBeNull();
});

test("a wrong token is an error of its field, and ends no session", async () => {
  state.value = "signedIn";
  answer = () => problem(401, "invalid_token");
  const error = await signIn("wrong").catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).fields).toEqual([
    { pointer: "/token", code: "invalid_token", detail: "detail of invalid_token" },
  ]);
  expect([state.value, ended.value]).toEqual(["signedIn", false]);
});

test("an earlier session is continued, and a missing one is not an ended one", async () => {
  answer = () => new Response('{"couriers":[]}');
  await restore();
  expect(sent[0]?.path).toBe("/admin/couriers?limit=1");
  expect(state.value).toBe("signedIn");
  [state.value, ended.value] = ["unknown", false];
  answer = () => problem(401, "unauthorized");
  await restore();
  expect([state.value, ended.value]).toEqual(["signedOut", false]);
});

test("a rejected request ends the session", () => {
  state.value = "signedIn";
  credentials.onRejected();
  expect([state.value, ended.value]).toEqual(["signedOut", true]);
});

test("signing out empties the drafts, but only if the server removed the cookie", async () => {
  const draft = createDraft("console-session-test", () => "");
  draft.value = "Ana";
  state.value = "signedIn";
  answer = lost;
  await expect(signOut()).rejects.toThrow();
  expect([state.value, draft.value]).toEqual(["signedIn", "Ana"]);
  answer = done;
  await signOut();
  expect([state.value, draft.value]).toEqual(["signedOut", ""]);
});
