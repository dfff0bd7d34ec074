/** Formats that do not depend on the language. */

import type { Address } from "./api/wire";

/** Time zones of state capitals that differ from São Paulo. */
const ZONES: Record<string, string> = {
  AC: "America/Rio_Branco",
  AL: "America/Maceio",
  AM: "America/Manaus",
  AP: "America/Belem",
  BA: "America/Bahia",
  CE: "America/Fortaleza",
  MA: "America/Fortaleza",
  MS: "America/Campo_Grande",
  MT: "America/Cuiaba",
  PA: "America/Belem",
  PB: "America/Fortaleza",
  PE: "America/Recife",
  PI: "America/Fortaleza",
  RN: "America/Fortaleza",
  RO: "America/Porto_Velho",
  RR: "America/Boa_Vista",
  SE: "America/Maceio",
  TO: "America/Araguaina",
};

/** Municipalities whose time zone is not that of their state, as in `Zone` of the core. */
const EXCEPTIONS: Record<string, { zone: string; cities: string[] }> = {
  PE: { zone: "America/Noronha", cities: ["fernando de noronha"] },
  AM: {
    zone: "America/Eirunepe",
    cities: [
      "atalaia do norte",
      "benjamin constant",
      "boca do acre",
      "eirunepe",
      "envira",
      "guajara",
      "ipixuna",
      "itamarati",
      "jutai",
      "labrea",
      "pauini",
      "sao paulo de olivenca",
      "tabatinga",
    ],
  },
};

/** The time zone of an address. */
export function zoneOf(
  address: Partial<Pick<Address, "city" | "state">> | null | undefined,
): string {
  const state = address?.state?.trim().toUpperCase() ?? "";
  const city = address?.city?.normalize("NFD").replace(/\p{M}/gu, "").trim().toLowerCase() ?? "";
  const exception = EXCEPTIONS[state];
  if (exception?.cities.includes(city) === true) return exception.zone;
  return ZONES[state] ?? "America/Sao_Paulo";
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
  return [address.neighborhood, city, address.zipCode?.replace("-", "\u2011")]
    .filter(Boolean)
    .join(", ");
}

/** Formats a Brazilian number as `(11) 98765-4321`; returns other numbers unchanged. */
export function phone(text: string): string {
  const parts = /^\+55(\d{2})(\d{4,5})(\d{4})$/.exec(text);
  return parts === null ? text : `(${parts[1]}) ${parts[2]}-${parts[3]}`;
}

/** Converts a typed phone number, with or without `+55`, to E.164. Returns other text unchanged, so that the API reports it. */
export function phoneRequest(typed: string): string {
  const text = typed.trim();
  if (!/^\+?[\d\s().-]+$/.test(text)) return text;
  const digits = text.replace(/\D/g, "");
  if (text.startsWith("+")) return `+${digits}`;
  // Long-distance calls inside Brazil start with 0.
  const national = digits.replace(/^0/, "");
  if (national.length === 10 || national.length === 11) return `+55${national}`;
  return /^55\d{10,11}$/.test(digits) ? `+${digits}` : text;
}

/** Formats a typed phone number once it is complete. */
export const phoneFormat = (typed: string): string => phone(phoneRequest(typed));

/** Inserts the hyphen of a CEP. */
export function cepFormat(typed: string): string {
  const digits = typed.replace(/\D/g, "");
  return /^[\d\s.-]*$/.test(typed) && digits.length > 5 && digits.length <= 8
    ? `${digits.slice(0, 5)}-${digits.slice(5)}`
    : typed;
}

/** Adds amounts in reais as whole centavos, because sums of fractions such as 0.1 are inexact. */
export const sumOfReais = (amounts: readonly number[]): number =>
  amounts.reduce((total, amount) => total + Math.round(amount * 100), 0) / 100;
