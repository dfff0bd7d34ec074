// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { formDraft } from "./draft";

test("a form about another object is empty", () => {
  const draft = formDraft("couriers", () => ({ name: "", city: "Recife" }));
  draft(1).set({ name: "Ana" });
  expect(draft(1).value).toEqual({ name: "Ana", city: "Recife" });
  expect(draft("1").value.name).toBe("Ana");
  expect(draft(2).value).toEqual({ name: "", city: "Recife" });
});

test("every attempt to send the same values has the same key, other values have another", () => {
  const draft = formDraft("top-ups", () => ({ amount: "" }));
  const empty = draft(1).key();
  expect(draft(1).key()).toBe(empty);
  draft(1).set({ amount: "10" });
  const key = draft(1).key();
  expect(key).not.toBe(empty);
  expect(draft(1).key()).toBe(key);
  expect(draft(2).key()).not.toBe(key);
});

test("a cleared form is empty and has another key", () => {
  const draft = formDraft("stores", () => ({ name: "" }));
  draft(1).set({ name: "Ana" });
  const key = draft(1).key();
  draft(1).clear();
  expect(draft(1).value).toEqual({ name: "" });
  expect(draft(1).key()).not.toBe(key);
});
