import { expect, test } from "vitest";
import {
  addressLine,
  cepFormat,
  localityLine,
  money,
  phone,
  phoneFormat,
  phoneRequest,
  zoneOf,
} from "./brazil";

test.each([
  ["São Paulo", "SP", "America/Sao_Paulo"],
  ["Recife", "PE", "America/Recife"],
  ["Fernando de Noronha", "PE", "America/Noronha"],
  ["Manaus", "am ", "America/Manaus"],
  ["Tabatinga", "AM", "America/Eirunepe"],
  ["São Paulo de Olivença", "AM", "America/Eirunepe"],
  // A town of the same name in another state has the time zone of that state.
  ["Tabatinga", "SP", "America/Sao_Paulo"],
  ["Guajará-Mirim", "RO", "America/Porto_Velho"],
])("the time zone of %s/%s is %s", (city, state, zone) =>
  expect(zoneOf({ city, state })).toBe(zone),
);

test("an address without a state has the time zone of São Paulo", () => {
  expect(zoneOf(null)).toBe("America/Sao_Paulo");
  expect(zoneOf({})).toBe("America/Sao_Paulo");
});

test("an amount has the Brazilian format", () => {
  expect(money(1234.5)).toBe("R$\u00A01.234,50");
  expect(money(0)).toBe("R$\u00A00,00");
});

const ADDRESS = {
  street: "Rua Vergueiro",
  number: "1000",
  complement: "Apto 121",
  neighborhood: "Paraíso",
  city: "São Paulo",
  state: "SP",
  zipCode: "01504-000",
  latitude: null,
  longitude: null,
};

test("an address has two lines without the parts that are missing", () => {
  expect(addressLine(ADDRESS)).toBe("Rua Vergueiro, 1000 · Apto 121");
  expect(addressLine({ ...ADDRESS, number: null, complement: null })).toBe("Rua Vergueiro");
  expect(localityLine(ADDRESS)).toBe("Paraíso, São Paulo – SP, 01504\u2011000");
  expect(localityLine({ ...ADDRESS, neighborhood: null, zipCode: null })).toBe("São Paulo – SP");
});

test.each([
  ["+5511987654321", "(11) 98765-4321"],
  ["+551133334444", "(11) 3333-4444"],
  ["+14155552671", "+14155552671"],
  ["+55119876543210", "+55119876543210"],
])("the number %s is shown as %s", (stored, shown) => expect(phone(stored)).toBe(shown));

test.each([
  ["(11) 98765-4321", "+5511987654321"],
  ["11 3333-4444", "+551133334444"],
  ["011 98765-4321", "+5511987654321"],
  ["55 11 98765-4321", "+5511987654321"],
  ["+55 (11) 98765.4321", "+5511987654321"],
  ["+1 415 555 2671", "+14155552671"],
  ["+598 99 123 456", "+59899123456"],
])("the typed number %s becomes %s", (typed, sent) => expect(phoneRequest(typed)).toBe(sent));

test.each([
  "3333-4444",
  "(11) 3333-4444 ramal 21",
  "11 98765-4321 (casa)",
  "",
  "telefone",
  "55 98765-4321 0000",
])("the typed number %s stays, so that the API reports it", (typed) => {
  expect(phoneRequest(typed)).toBe(typed);
  expect(phoneFormat(typed)).toBe(typed);
});

test("a complete number is formatted while it is typed", () => {
  expect(phoneFormat("11987654321")).toBe("(11) 98765-4321");
  expect(phoneFormat("119876")).toBe("119876");
});

test.each([
  ["01504000", "01504-000"],
  ["015040", "01504-0"],
  ["01504", "01504"],
  ["01.504-000", "01504-000"],
  ["015040001", "015040001"],
  ["01504-ooo", "01504-ooo"],
])("the typed CEP %s is shown as %s", (typed, shown) => expect(cepFormat(typed)).toBe(shown));
