import { expect, test } from "vitest";
import {
  addressDraft,
  addressRequest,
  bareZip,
  coordinates,
  editAddress,
  emptyAddress,
  isLocatable,
  type AddressDraft,
} from "./address-draft";

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

const edited = (before: Partial<AddressDraft>, change: Partial<AddressDraft>) => {
  const full = { ...emptyAddress(), ...before };
  return editAddress(full, { ...full, ...change });
};
const PINNED = { zipCode: "88010400", street: "Rua A", latitude: "-27.5", longitude: "-48.5" };

test.each([
  ["another street", { street: "Rua B" }, "", ""],
  ["another CEP", { zipCode: "88010-401" }, "", ""],
  ["the same CEP, formatted", { zipCode: "88010-400" }, "-27.5", "-48.5"],
  ["a space", { street: "Rua A " }, "-27.5", "-48.5"],
  ["a complement", { complement: "sala 2" }, "-27.5", "-48.5"],
  ["another place with its pin", { street: "Rua B", latitude: "-27.6" }, "-27.6", "-48.5"],
])("a pin belongs to its place: %s", (_, change, latitude, longitude) => {
  expect(edited(PINNED, change)).toMatchObject({ latitude, longitude });
});

test("a stored address becomes the same request again", () => {
  const stored = {
    street: "Rua A",
    number: "10",
    city: "São Paulo",
    state: "SP",
    zipCode: "01504000",
    latitude: -23.5,
    longitude: -46.6,
    complement: null,
  } as unknown as Parameters<typeof addressDraft>[0];
  const { complement: _, ...sent } = stored;
  expect(addressRequest(addressDraft(stored))).toEqual(sent);
});
