// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { closingLines, differenceText, readSlips, slipsTotal } from "./cash";
import { language } from "./i18n/language";

test("slips are read with brand and authorisation", () => {
  expect(readSlips("32,50 Elo 038471\n\n R$ 1.200,00\n10 Visa Electron\n7,9 A1B2")).toEqual([
    { amount: 32.5, brand: "Elo", authorisation: "038471" },
    { amount: 1200 },
    { amount: 10, brand: "Visa Electron" },
    { amount: 7.9, authorisation: "A1B2" },
  ]);
  expect(readSlips(" \n")).toEqual([]);
  expect(readSlips("dez reais")[0]?.amount).toBe("dez");
});

test("slips are added in centavos", () => {
  expect(slipsTotal([{ amount: 0.1 }, { amount: 0.2 }])).toBe(0.3);
  expect(slipsTotal([])).toBe(0);
});

test("a difference is named in words", () => {
  language.value = "pt";
  expect(differenceText(0)).toBe("Sem diferença.");
  expect(differenceText(-2.9)).toMatch(/^Faltam R\$\s2,90\.$/);
  expect(differenceText(0.1)).toMatch(/^Sobram R\$\s0,10\.$/);
});

test("a closing lists what was booked, expected and counted", () => {
  language.value = "pt";
  const closing = {
    courierName: "Ana",
    storeName: "Empório",
    float: 50,
    collected: 57.9,
    handedOver: 0,
    toStoreDirectly: 0,
    expected: 107.9,
    counted: 105,
    difference: -2.9,
    slips: [],
  };
  expect(closingLines(closing)).toEqual([
    ["Troco inicial", 50],
    ["Recebido", 57.9],
    ["Esperado", 107.9],
    ["Valor contado", 105],
    ["Diferença", -2.9],
  ]);
});
