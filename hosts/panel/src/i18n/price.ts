/** The lines of a price and the precision of its addresses. */

import type { components } from "despacho/api";
import { translated } from "./language";

type Schemas = components["schemas"];

const en = {
  rules: {
    base: "Base fee",
    distance: "Distance",
    extra_stops: "Extra stops",
    return: "Return",
    return_distance: "Return distance",
    window: "Time of day",
    vehicle: "Vehicle",
    minimum: "Minimum fee adjustment",
  } satisfies Record<Schemas["PriceRule"], string> as Record<string, string>,
  precision: {
    coordinates: "exact",
    number: "house number",
    street: "street only",
    cep: "CEP only",
    cep5: "CEP region only",
    neighbourhood: "neighbourhood only",
    municipality: "city only",
  } satisfies Record<Schemas["Precision"], string> as Record<string, string>,
};

const pt: typeof en = {
  rules: {
    base: "Taxa base",
    distance: "Distância",
    extra_stops: "Paradas extras",
    return: "Retorno",
    return_distance: "Distância de retorno",
    window: "Horário",
    vehicle: "Veículo",
    minimum: "Ajuste à taxa mínima",
  } satisfies Record<Schemas["PriceRule"], string>,
  precision: {
    coordinates: "exato",
    number: "número da casa",
    street: "só a rua",
    cep: "só o CEP",
    cep5: "só a região do CEP",
    neighbourhood: "só o bairro",
    municipality: "só a cidade",
  } satisfies Record<Schemas["Precision"], string>,
};

export const priceTexts = translated(en, pt);
