/** The texts of the service area. */

import { translated } from "./language";

const en = {
  title: "Delivery area",
  hint: "Click on the map to add a corner, and drag a corner to move it. With the keyboard: arrows move the selected corner, Delete removes it.",
  none: "Without an area, you deliver wherever the tariff reaches.",
  several: "The area was set by the API and has several parts or holes. A new outline replaces it.",
  map: "Map of the delivery area",
  corner: (n: number) => `Corner ${n}`,
  count: (n: number) => (n === 1 ? "1 corner" : `${n} corners`),
  radius: "Radius in km",
  circle: "Draw a circle",
  undo: "Undo",
  clear: "Remove the area",
  save: "Save area",
};

const pt: typeof en = {
  title: "Área de entrega",
  hint: "Clique no mapa para adicionar um canto e arraste um canto para mover. No teclado: as setas movem o canto selecionado, e Delete remove.",
  none: "Sem área, você entrega até onde a tarifa alcança.",
  several:
    "A área foi definida pela API e tem várias partes ou buracos. Um novo contorno a substitui.",
  map: "Mapa da área de entrega",
  corner: (n) => `Canto ${n}`,
  count: (n) => (n === 1 ? "1 canto" : `${n} cantos`),
  radius: "Raio em km",
  circle: "Desenhar um círculo",
  undo: "Desfazer",
  clear: "Remover a área",
  save: "Salvar área",
};

export const areaTexts = translated(en, pt);
