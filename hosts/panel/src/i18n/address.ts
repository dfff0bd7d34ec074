/** The texts of addresses. */

import { translated } from "./language";

const en = {
  zip: "CEP",
  street: "Street",
  number: "Number",
  splitNumber: "Number (from the street)",
  complement: "Complement",
  neighborhood: "Neighbourhood",
  city: "City",
  state: "State",
  choose: "Choose",
  latitude: "Latitude",
  longitude: "Longitude",
  location: "Exact location",
  locationHint: "If you enter coordinates, they are used instead of the address.",
  pin: "Choose on the map",
};

const pt: typeof en = {
  zip: "CEP",
  street: "Rua",
  number: "Número",
  splitNumber: "Número (separado da rua)",
  complement: "Complemento",
  neighborhood: "Bairro",
  city: "Cidade",
  state: "Estado",
  choose: "Escolha",
  latitude: "Latitude",
  longitude: "Longitude",
  location: "Localização exata",
  locationHint: "Se você informar as coordenadas, elas serão usadas em vez do endereço.",
  pin: "Escolher no mapa",
};

export const addressTexts = translated(en, pt);
