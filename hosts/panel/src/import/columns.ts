/** The columns of an import, and how a record becomes the draft of an order. */

import type { FieldError } from "../api/wire";
import { importTexts } from "../i18n/import";
import { loadTexts } from "../i18n/load";
import { emptyDelivery, type Draft } from "../order-draft";
import { VEHICLES } from "../load";
import { amountCell, markOf, measureCell, type FileMark } from "../numbers";
import type { CsvFile, CsvRecord } from "./csv";

/** Each column with its Portuguese and English name, an example and the pointer of its errors. */
export const COLUMNS = [
  ["code", "codigo", "1042", "/code"],
  ["name", "destinatario", "Maria Silva", "/deliveries/0/name"],
  ["phone", "telefone", "(11) 98765-4321", "/deliveries/0/phone"],
  ["email", "email", "", "/deliveries/0/email"],
  ["zip", "cep", "01504-000", "/deliveries/0/address/zipCode"],
  ["street", "rua", "Rua Vergueiro", "/deliveries/0/address/street"],
  ["number", "numero", "1000", "/deliveries/0/address/number"],
  ["complement", "complemento", "Apto 121", "/deliveries/0/address/complement"],
  ["neighborhood", "bairro", "Paraíso", "/deliveries/0/address/neighborhood"],
  ["city", "cidade", "São Paulo", "/deliveries/0/address/city"],
  ["state", "uf", "SP", "/deliveries/0/address/state"],
  ["latitude", "latitude", "", "/deliveries/0/address/latitude"],
  ["longitude", "longitude", "", "/deliveries/0/address/longitude"],
  ["value", "valor", "57,90", "/deliveries/0/productValue"],
  ["paid", "pago", "sim", "/deliveries/0/onlinePayment"],
  ["delivery_code", "codigo_de_entrega", "sim", "/deliveries/0/confirmation/platform"],
  ["note", "observacao", "Portão azul", "/deliveries/0/observation"],
  ["preparation", "preparo", "20", "/preparationTime"],
  ["vehicle", "veiculo", "", "/requirements/vehicle"],
  ["weight_kg", "peso_kg", "2,5", "/requirements/weightGrams"],
  ["volume_l", "volume_l", "", "/requirements/volumeMillilitres"],
  ["packages", "pacotes", "1", "/requirements/packages"],
] as const;

type ColumnName = (typeof COLUMNS)[number][0];
const REQUIRED: readonly ColumnName[] = ["code"];

export interface Header {
  /** The position of each column in the file. */
  at: Partial<Record<ColumnName, number>>;
  unknown: string[];
  missing: ColumnName[];
}

const plain = (text: string) =>
  text
    .normalize("NFD")
    .replace(/[^A-Za-z0-9]/g, "")
    .toLowerCase();

export function readHeader(cells: readonly string[]): Header {
  const header: Header = { at: {}, unknown: [], missing: [] };
  cells.forEach((cell, index) => {
    const column = COLUMNS.find(
      ([english, portuguese]) =>
        plain(cell) === plain(english) || plain(cell) === plain(portuguese),
    );
    if (column !== undefined) header.at[column[0]] ??= index;
    else if (cell !== "") header.unknown.push(cell);
  });
  header.missing = REQUIRED.filter((name) => header.at[name] === undefined);
  return header;
}

/** The columns whose numbers can have thousands. Coordinates cannot, and are often copied with decimal points. */
const AMOUNTS = ["value"] as const;
const MEASURES = ["weight_kg", "volume_l"] as const;

/** Returns the decimal mark of a file's numbers. */
export function markOfFile(file: CsvFile, header: Header): FileMark {
  const columns = [...AMOUNTS, ...MEASURES].flatMap((name) => header.at[name] ?? []);
  return markOf(
    file.records.slice(1).flatMap((record) => columns.map((at) => record.cells[at] ?? "")),
    file.separator,
  );
}

/** Returns a record's order, and the errors of cells that are neither yes nor no, no vehicle, or numbers with two meanings. */
export function readRecord(
  record: CsvRecord,
  header: Header,
  mark: FileMark,
  store: string,
): { draft: Draft; errors: FieldError[] } {
  const cell = (name: ColumnName) => record.cells[header.at[name] ?? -1] ?? "";
  const errors: FieldError[] = [];
  const number = (name: (typeof AMOUNTS | typeof MEASURES)[number]): string => {
    const known = name === "value" ? amountCell(cell(name), mark) : measureCell(cell(name), mark);
    if (known === null)
      errors.push({
        pointer: pointerOf(name),
        code: "invalid_value",
        detail: importTexts.value.twoMeanings(cell(name)),
      } as unknown as FieldError);
    return known ?? cell(name);
  };
  const yes = (name: "paid" | "delivery_code", unset: boolean): boolean => {
    const text = plain(cell(name));
    if (text === "") return unset;
    if (/^(s|sim|y|yes|1|true|x)$/.test(text)) return true;
    if (!/^(n|nao|no|0|false)$/.test(text))
      errors.push({
        pointer: pointerOf(name),
        code: "invalid_value",
        detail: importTexts.value.yesOrNo,
      } as unknown as FieldError);
    return false;
  };
  const delivery = {
    ...emptyDelivery(),
    name: cell("name"),
    phone: cell("phone"),
    email: cell("email"),
    value: number("value"),
    observation: cell("note"),
    paid: yes("paid", true),
    confirm: yes("delivery_code", false),
    address: {
      zipCode: cell("zip"),
      street: cell("street"),
      number: cell("number"),
      complement: cell("complement"),
      neighborhood: cell("neighborhood"),
      city: cell("city"),
      state: cell("state").toUpperCase(),
      latitude: cell("latitude"),
      longitude: cell("longitude"),
    },
    hasCity: true,
  };
  const names = cell("vehicle")
    .split(/[\s,|+]+/)
    .filter(Boolean);
  const vehicles = VEHICLES.filter((kind) => names.some((name) => plain(name) === plain(kind)));
  if (names.some((name) => !VEHICLES.some((kind) => plain(name) === plain(kind)))) {
    errors.push({
      pointer: pointerOf("vehicle"),
      code: "invalid_vehicle",
      detail: loadTexts.value.unknown,
    });
  }
  const load = {
    vehicles,
    weight: number("weight_kg"),
    volume: number("volume_l"),
    packages: cell("packages"),
  };
  const preparation = cell("preparation");
  return {
    draft: {
      code: cell("code"),
      preparation: preparation === "" ? null : preparation,
      best: false,
      store,
      load,
      deliveries: [delivery],
    },
    errors,
  };
}

const pointerOf = (name: ColumnName) => COLUMNS.find(([english]) => english === name)?.[3] ?? "";

/** Returns the column of an error, or its pointer if no column causes it. */
export function columnName(pointer: string, isPortuguese: boolean): string {
  const column = COLUMNS.find(([, , , own]) => own === pointer);
  return column === undefined ? pointer : column[isPortuguese ? 1 : 0];
}
