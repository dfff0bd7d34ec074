/** Formats that do not depend on the language. */

import type { Address } from "./api/wire";

/** Time zones of state capitals that differ from São Paulo. */
const ZONES: Record<string, string> = {
  AC: "America/Rio_Branco", AL: "America/Maceio", AM: "America/Manaus", AP: "America/Belem", BA: "America/Bahia",
  CE: "America/Fortaleza", MA: "America/Fortaleza", MS: "America/Campo_Grande", MT: "America/Cuiaba", PA: "America/Belem",
  PB: "America/Fortaleza", PE: "America/Recife", PI: "America/Fortaleza", RN: "America/Fortaleza", RO: "America/Porto_Velho",
  RR: "America/Boa_Vista", SE: "America/Maceio", TO: "America/Araguaina",
};

export function zoneOf(state: string | null | undefined): string {
  return ZONES[state?.toUpperCase() ?? ""] ?? "America/Sao_Paulo";
}

/** `R$ 1.234,56` in both languages, because the currency is Brazilian. */
export function money(amount: number): string {
  return MONEY.format(amount);
}
const MONEY = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });

export function addressLine(address: Address): string {
  const street = [address.street, address.number].filter(Boolean).join(", ");
  return [street, address.complement].filter(Boolean).join(" · ");
}

export function localityLine(address: Address): string {
  const city = [address.city, address.state].filter(Boolean).join(" – ");
  // A non-breaking hyphen keeps the CEP on one line.
  return [address.neighborhood, city, address.zipCode?.replace("-", "\u2011")].filter(Boolean).join(", ");
}

/** `+55 11 98765-4321`. */
export function phone(text: string): string {
  const parts = /^\+55(\d{2})(\d{4,5})(\d{4})$/.exec(text);
  return parts === null ? text : `+55 ${parts[1]} ${parts[2]}-${parts[3]}`;
}
