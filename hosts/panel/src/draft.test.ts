// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";

/** The module as after a reload of the page. */
async function reload() {
  vi.resetModules();
  return import("./draft");
}

beforeEach(() => sessionStorage.clear());

test("a draft survives a reload", async () => {
  const first = (await reload()).createDraft("form", () => ({ name: "" }));
  first.value = { name: "Ana" };
  const second = (await reload()).createDraft("form", () => ({ name: "" }));
  expect(second.value).toEqual({ name: "Ana" });
});

test("drafts of other names stay apart", async () => {
  const { createDraft } = await reload();
  createDraft("one", () => "").value = "Ana";
  expect(createDraft("two", () => "empty").value).toBe("empty");
});

test("a stored text that is not JSON is replaced by an empty draft", async () => {
  sessionStorage.setItem("despacho.draft.form", "{");
  expect((await reload()).createDraft("form", () => "empty").value).toBe("empty");
});

test("a logout empties the drafts of this page and of pages that were not loaded", async () => {
  sessionStorage.setItem("despacho.draft.other-page", '"Ana"');
  sessionStorage.setItem("despacho.session", "kept");
  const { createDraft, clearDrafts } = await reload();
  const draft = createDraft("form", () => "empty");
  draft.value = "Bia";
  clearDrafts();
  expect(draft.value).toBe("empty");
  expect(sessionStorage.getItem("despacho.draft.form")).toBe('"empty"');
  expect(sessionStorage.getItem("despacho.draft.other-page")).toBeNull();
  expect(sessionStorage.getItem("despacho.session")).toBe("kept");
});
