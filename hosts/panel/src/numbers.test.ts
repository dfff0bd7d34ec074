import { expect, test } from "vitest";
import { amount, amountCell, decimal, markOf, measureCell } from "./numbers";

test.each([
  ["1.200", 1200],
  ["1,200", 1200],
  ["12.345,6", 12345.6],
  ["1,200.50", 1200.5],
  ["1.234.567", 1234567],
  ["1 200,50", 1200.5],
  ["1200", 1200],
  ["57,90", 57.9],
  ["57.90", 57.9],
  ["0,125", 0.125],
  ["R$ 1.200,50", 1200.5],
  ["R$\u00A01.200,50", 1200.5],
  ["r$1200", 1200],
  ["1.200,50 BRL", 1200.5],
  ["-R$ 5,00", -5],
  ["30 reais", 30],
  [",5", 0.5],
])("the amount %s is %d", (text, value) => expect(amount(text)).toBe(value));

test.each([
  "US$ 10",
  "€ 10",
  "1.20.50",
  "1.2.3,4",
  "1,20,50",
  "12.34,567.8",
  "R$",
  "abc",
  "1e3",
  "5-",
  "1.200.50",
])("the amount %s stays a text, so that it is reported", (text) => expect(amount(text)).toBe(text));

test.each([
  ["1.200", 1.2],
  ["1,200", 1.2],
  ["1.200,5", 1200.5],
  ["-23,5614", -23.5614],
  ["-23.561", -23.561],
  ["7", 7],
  ["30.0", 30],
])("the measure %s is %d", (text, value) => expect(decimal(text)).toBe(value));

test("an empty field has no number", () => {
  expect(amount(" ")).toBeUndefined();
  expect(decimal("")).toBeUndefined();
});

test("the numbers of a file prove its decimal mark, otherwise its separator does", () => {
  expect(markOf(["1.200"], ";")).toBe(",");
  expect(markOf(["1.200"], ",")).toBe(".");
  expect(markOf(["1.200"], "\t")).toBeNull();
  expect(markOf(["1.200", "57,90"], "\t")).toBe(",");
  expect(markOf(["R$ 1.200,50"], ",")).toBe(",");
  expect(markOf(["1.200", "57.90"], ";")).toBe(".");
  expect(markOf(["57,90", "57.90"], ";")).toBeNull();
  expect(markOf(["1.234.567"], "\t")).toBe(",");
});

test("a cell with two meanings is read with the decimal mark of its file", () => {
  expect(amount(amountCell("1.200", ",")!)).toBe(1200);
  expect(amount(amountCell("1,200", ".")!)).toBe(1200);
  expect(amount(amountCell("R$ 1.200", ",")!)).toBe(1200);
  expect(amountCell("1.200", ".")).toBeNull();
  expect(amountCell("1.200", null)).toBeNull();
  expect(amountCell("57,90", null)).toBe("57,90");
  expect(decimal(measureCell("1.200", ",")!)).toBe(1200);
  expect(decimal(measureCell("1,200", ",")!)).toBe(1.2);
  expect(decimal(measureCell("1.200", ".")!)).toBe(1.2);
  expect(measureCell("1.200", null)).toBeNull();
});
