import { expect, test } from "vitest";
import { decodeFile, parseCsv, writeCsv } from "./csv";

const cells = (text: string) => parseCsv(text).records.map((record) => record.cells);
const lines = (text: string) => parseCsv(text).records.map((record) => record.line);
const bytes = (...values: number[]) => new Uint8Array(values).buffer;

/** Encodes a text in UTF-16. */
function utf16(text: string, isBigEndian: boolean): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (const [at, character] of [...text].entries()) {
    view.setUint16(at * 2, character.charCodeAt(0), !isBigEndian);
  }
  return view.buffer;
}

test("a sep= line names the separator and is no record", () => {
  for (const text of [
    "sep=;\r\ncodigo;destinatario\r\n1;Ana\r\n",
    '\uFEFF"sep=;"\r\ncodigo;destinatario\r\n1;Ana\r\n',
  ]) {
    expect(cells(text)).toEqual([
      ["codigo", "destinatario"],
      ["1", "Ana"],
    ]);
    expect(lines(text)).toEqual([2, 3]);
  }
  expect(cells("SEP=:\ncodigo:destinatario\n1:a;b")).toEqual([
    ["codigo", "destinatario"],
    ["1", "a;b"],
  ]);
  expect(cells("sep=\t\ncodigo\tdestinatario")).toEqual([["codigo", "destinatario"]]);
});

test("the first line contains the separator", () => {
  expect(cells("codigo;valor\n1;57,90")[1]).toEqual(["1", "57,90"]);
  expect(cells('codigo,valor\n1,"57,90"')[1]).toEqual(["1", "57,90"]);
  expect(cells("codigo\tvalor\n1\t57,90")[1]).toEqual(["1", "57,90"]);
  expect(cells("codigo|valor\n1|57,90")[1]).toEqual(["1", "57,90"]);
  expect(cells("codigo\n1")).toEqual([["codigo"], ["1"]]);
});

test("records have the number of their first line", () => {
  const text = 'codigo;observacao\r\n\r\n1;"Portão ""azul"";\r\nfundos"\r\n;\r\n2;x\r';
  expect(cells(text)).toEqual([
    ["codigo", "observacao"],
    ["1", 'Portão "azul";\nfundos'],
    ["2", "x"],
  ]);
  expect(lines(text)).toEqual([1, 3, 6]);
  expect(parseCsv(text).brokenQuote).toBeNull();
});

test.each([
  ["at the end of the file", 'codigo;nome\n1;Ana\n2;"Bia\n3;Caio\n', 3],
  ["before another quoted cell", 'codigo;nome\n1;"Ana\n2;"Bia"\n3;Caio\n', 2],
  ["before a quote at the end of a cell", 'codigo;nome\n1;Ana\n2;"Bia;x\n3;Caio"\n', 3],
  ["before an empty quoted cell", 'codigo;nome;nota\n1;"Ana;\n2;"";x\n', 2],
  ["with text after it", 'codigo;nome\n1;"Ana" Souza\n', 2],
])("a quote that is not closed is named: %s", (_, text, line) =>
  expect(parseCsv(text).brokenQuote).toBe(line),
);

test("a quote within a cell is a character", () => {
  expect(cells('codigo;nome\n1;Monitor 24"\n2;Bar "do Zé"')).toEqual([
    ["codigo", "nome"],
    ["1", 'Monitor 24"'],
    ["2", 'Bar "do Zé"'],
  ]);
  expect(parseCsv('codigo;nome\n1;Monitor 24"\n2;x').brokenQuote).toBeNull();
});

test("files in UTF-16 are read with and without a byte order mark", () => {
  const text = "codigo\tdestinatario\r\n1\tJoão Ávila\r\n";
  for (const isBigEndian of [false, true]) {
    expect(decodeFile(utf16(text, isBigEndian))).toBe(text);
    expect(cells(decodeFile(utf16(`\uFEFF${text}`, isBigEndian)))).toEqual([
      ["codigo", "destinatario"],
      ["1", "João Ávila"],
    ]);
  }
});

test("files in UTF-8 and windows-1252 are read", () => {
  expect(decodeFile(new TextEncoder().encode("São Paulo").buffer)).toBe("São Paulo");
  expect(decodeFile(bytes(0x53, 0xe3, 0x6f))).toBe("São");
  expect(decodeFile(bytes())).toBe("");
});

test("written records are read again", () => {
  const records = [
    ["codigo", "nota"],
    ["1", 'a;"b"\nc'],
  ];
  for (const separator of [";", ",", "\t", ":"])
    expect(cells(writeCsv(records, separator))).toEqual(records);
});
