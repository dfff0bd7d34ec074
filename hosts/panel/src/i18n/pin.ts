/** The texts of the dialog with the pin. */

import type { Location } from "../api/wire";
import { translated } from "./language";

type Found = Record<Location["precision"], (metres: number) => string>;

const approximate = (what: string) => (metres: number) =>
  `Only ${what} was found (± ${metres} m). Move the pin to the door.`;

const found: Found = {
  coordinates: () => "The pin is at these coordinates.",
  number: () => "The pin is at the house number.",
  street: (metres) =>
    `The street was found, but not the number (± ${metres} m). Move the pin to the door.`,
  cep: approximate("the CEP"),
  cep5: approximate("the region of the CEP"),
  neighbourhood: approximate("the neighbourhood"),
  municipality: approximate("the city"),
};

const aproximado = (what: string) => (metres: number) =>
  `Só ${what} (± ${metres} m). Leve o marcador até a porta.`;

const encontrado: Found = {
  coordinates: () => "O marcador está nestas coordenadas.",
  number: () => "O marcador está no número da casa.",
  street: (metres) =>
    `A rua foi encontrada, mas não o número (± ${metres} m). Leve o marcador até a porta.`,
  cep: aproximado("o CEP foi encontrado"),
  cep5: aproximado("a região do CEP foi encontrada"),
  neighbourhood: aproximado("o bairro foi encontrado"),
  municipality: aproximado("a cidade foi encontrada"),
};

const en = {
  search: "Street and number",
  find: "Find",
  found,
  title: "Location on the map",
  map: "Map with the pin",
  hint: "Click the map to place the pin. On the keyboard: arrow keys move it, with Shift in small steps; + and − zoom.",
  none: "No pin yet",
  at: (latitude: string, longitude: string) => `Latitude ${latitude}, longitude ${longitude}`,
  use: "Use this location",
};

const pt: typeof en = {
  search: "Rua e número",
  find: "Buscar",
  found: encontrado,
  title: "Localização no mapa",
  map: "Mapa com o marcador",
  hint: "Clique no mapa para colocar o marcador. No teclado: as setas movem o marcador, com Shift em passos pequenos; + e − mudam o zoom.",
  none: "Nenhum marcador ainda",
  at: (latitude, longitude) => `Latitude ${latitude}, longitude ${longitude}`,
  use: "Usar esta localização",
};

export const pinTexts = translated(en, pt);
