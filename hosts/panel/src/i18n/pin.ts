/** The texts of the dialog with the pin. */

import { computed } from "@preact/signals";
import { language } from "./language";

const en = {
  title: "Location on the map",
  map: "Map with the pin",
  hint: "Click the map to place the pin. On the keyboard: arrow keys move it, with Shift in small steps; + and − zoom.",
  none: "No pin yet",
  at: (latitude: string, longitude: string) => `Latitude ${latitude}, longitude ${longitude}`,
  use: "Use this location",
};

const pt: typeof en = {
  title: "Localização no mapa",
  map: "Mapa com o marcador",
  hint: "Clique no mapa para colocar o marcador. No teclado: as setas movem o marcador, com Shift em passos pequenos; + e − mudam o zoom.",
  none: "Nenhum marcador ainda",
  at: (latitude, longitude) => `Latitude ${latitude}, longitude ${longitude}`,
  use: "Usar esta localização",
};

export const pinTexts = computed(() => (language.value === "pt" ? pt : en));
