import { expect, test } from "vitest";
import { addressRequest, bareZip, coordinates, emptyAddress, isLocatable } from "./address-draft";

const address = (part: Partial<ReturnType<typeof emptyAddress>>) => ({
  ...emptyAddress(),
  ...part,
});

test("a request has the fields that are filled in, without spaces around them", () => {
  expect(addressRequest(emptyAddress())).toEqual({});
  expect(
    addressRequest(address({ street: " Rua Um ", number: "12", state: "SP", complement: "  " })),
  ).toEqual({ street: "Rua Um", number: "12", state: "SP" });
});

test("typed coordinates become numbers, and other text stays for the API", () => {
  const typed = address({ latitude: "-23,5614", longitude: "-46.6559" });
  expect(addressRequest(typed)).toEqual({ latitude: -23.5614, longitude: -46.6559 });
  expect(coordinates(typed)).toEqual([-23.5614, -46.6559]);
  const wrong = address({ latitude: "norte", longitude: "-46.6559" });
  expect(addressRequest(wrong)).toEqual({ latitude: "norte", longitude: -46.6559 });
  expect(coordinates(wrong)).toBeNull();
  expect(coordinates(address({ latitude: "-23.5" }))).toBeNull();
});

test("an address is located by its CEP, its city or its coordinates", () => {
  expect(isLocatable(emptyAddress())).toBe(false);
  expect(isLocatable(address({ zipCode: "01504-000" }))).toBe(true);
  expect(isLocatable(address({ zipCode: "01504-00" }))).toBe(false);
  expect(isLocatable(address({ city: "São Paulo", state: "SP" }))).toBe(true);
  expect(isLocatable(address({ city: "São Paulo" }))).toBe(false);
  expect(isLocatable(address({ state: "SP" }))).toBe(false);
  expect(isLocatable(address({ latitude: "-23.5", longitude: "-46.6" }))).toBe(true);
  expect(isLocatable(address({ latitude: "-23.5" }))).toBe(false);
  expect(bareZip(" 01504-000 ")).toBe("01504000");
});
