// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { setLanguage } from "./i18n/language";
import { emptyLoad, requirementsOf, thousandths, typedThousandths } from "./load";

test("kilograms and litres become whole grams and millilitres", () => {
  expect(thousandths("2,5")).toBe(2500);
  expect(thousandths("1.200")).toBe(1200);
  // 1.005 * 1000 is not exact.
  expect(thousandths("1,005")).toBe(1005);
  expect(thousandths(" ")).toBeUndefined();
  expect(thousandths("dois")).toBe("dois");
});

test("grams and millilitres are typed with the decimal mark of the language", () => {
  setLanguage("pt");
  expect(typedThousandths(2500)).toBe("2,5");
  expect(typedThousandths(1_200_000)).toBe("1200");
  setLanguage("en");
  expect(typedThousandths(2500)).toBe("2.5");
});

test("an empty load has no requirements", () => {
  expect(requirementsOf(undefined)).toEqual({});
  expect(requirementsOf(emptyLoad())).toEqual({});
  expect(requirementsOf({ ...emptyLoad(), thermic: false })).toEqual({});
});

test("requirements have only what is filled in", () => {
  expect(
    requirementsOf({ ...emptyLoad(), vehicles: ["CAR", "VUC"], weight: "12,5", packages: "3" }),
  ).toEqual({ requirements: { vehicle: ["CAR", "VUC"], weightGrams: 12_500, packages: 3 } });
  expect(requirementsOf({ ...emptyLoad(), volume: "40", thermic: true })).toEqual({
    requirements: { volumeMillilitres: 40_000, container: "THERMIC" },
  });
});
