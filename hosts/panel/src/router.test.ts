// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { go, parameter, parts, path, replace, route, url } from "./router";

/** Changes the fragment and waits until the page knows it. */
async function open(to: string): Promise<void> {
  const changed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
  go(to);
  await changed;
}

test("the segments of a route do not contain its query", async () => {
  await open("/orders/search?q=Rua%20Um&day=2026-11-30");
  expect(parts.value).toEqual(["orders", "search"]);
  expect(path.value).toBe("orders/search");
  expect(parameter("q")).toBe("Rua Um");
  expect(parameter("day")).toBe("2026-11-30");
  expect(parameter("view")).toBe("");
});

test("a route without a path or a query has neither", async () => {
  await open("/");
  expect(parts.value).toEqual([]);
  expect(path.value).toBe("");
  expect(parameter("q")).toBe("");
});

test("a replaced route is the current one, without a new entry in the history", async () => {
  await open("/orders");
  const before = history.length;
  replace("/orders?view=open");
  expect(route.value).toBe("/orders?view=open");
  expect(location.hash).toBe("#/orders?view=open");
  expect(history.length).toBe(before);
});

test("the URL of a route leads to this page", () =>
  expect(url("/orders/7")).toBe(`${location.origin}${location.pathname}#/orders/7`));
