// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { amount, decimal } from "../numbers";
import { columnName, markOfFile, readHeader, readRecord } from "./columns";
import { parseCsv } from "./csv";

/** Reads the orders of a file. */
function orders(text: string) {
  const file = parseCsv(text);
  const [head, ...records] = file.records;
  const header = readHeader(head?.cells ?? []);
  return records.map((record) => readRecord(record, header, markOfFile(file, header), "7"));
}

const values = (text: string) =>
  orders(text).map(({ draft, errors }) =>
    errors.length > 0 ? errors.map((error) => error.pointer) : amount(draft.deliveries[0]!.value),
  );

test("thousands of a spreadsheet in Brazil", () => {
  const head = "codigo;destinatario;telefone;cep;rua;numero;cidade;uf;valor;pago;observacao\r\n";
  const [order] = orders(
    `${head}1;Ana;(11) 98765-4321;01504-000;Rua Vergueiro;1000;São Paulo;SP;1.200;sim;\r\n`,
  );
  expect(order?.errors).toEqual([]);
  expect(amount(order!.draft.deliveries[0]!.value)).toBe(1200);
});

test("values with currency signs, and values that can be read in two ways", () => {
  expect(values("codigo;valor\n1;R$ 1.200,50\n2;R$ 1.200\n3;57,9\n4;")).toEqual([
    1200.5,
    1200,
    57.9,
    undefined,
  ]);
  expect(values('codigo,valor\n1,"1,200"\n2,1.200\n3,57.90')).toEqual([
    1200,
    ["/deliveries/0/productValue"],
    57.9,
  ]);
  expect(values("codigo\tvalor\n1\t1.200\n2\t57,90")).toEqual([1200, 57.9]);
  expect(values("codigo\tvalor\n1\t1.200\n2\t57")).toEqual([["/deliveries/0/productValue"], 57]);
  expect(values("codigo;valor\n1;US$ 10")).toEqual(["US$ 10"]);
});

test("weights follow the decimal mark of the file, coordinates have no thousands", () => {
  const [order] = orders(
    "codigo;valor;peso_kg;volume_l;latitude;longitude\n1;57,90;1,250;1.200;-23.561;-46.655\n",
  );
  expect(order?.errors).toEqual([]);
  expect([decimal(order!.draft.load!.weight), decimal(order!.draft.load!.volume)]).toEqual([
    1.25, 1200,
  ]);
  expect(decimal(order!.draft.deliveries[0]!.address.latitude)).toBe(-23.561);
});

test("a file with a sep= line has its columns", () => {
  expect(orders("sep=;\r\ncodigo;destinatario\r\n1;Ana\r\n")[0]?.draft).toMatchObject({
    code: "1",
    deliveries: [{ name: "Ana" }],
  });
});

test("columns are found by both names, without accents, spaces and case", () => {
  const header = readHeader(["Código", "DELIVERY CODE", "observação", "cor", "", "code"]);
  expect(header).toEqual({
    at: { code: 0, delivery_code: 1, note: 2 },
    unknown: ["cor"],
    missing: [],
  });
  expect(readHeader(["destinatario"]).missing).toEqual(["code"]);
});

test("yes and no are read in both languages, and other words are errors", () => {
  const [yes, no, unset, wrong] = orders(
    "codigo;pago;codigo_de_entrega\n1;Sim;x\n2;NÃO;0\n3;;\n4;talvez;y",
  );
  const of = (order: typeof yes) => {
    const [delivery] = order!.draft.deliveries;
    return [delivery!.paid, delivery!.confirm];
  };
  expect([yes, no, unset].map(of)).toEqual([
    [true, true],
    [false, false],
    [true, false],
  ]);
  expect(wrong?.errors.map((error) => error.pointer)).toEqual(["/deliveries/0/onlinePayment"]);
});

test("vehicles are separated by spaces, and unknown ones are errors", () => {
  const [known, wrong] = orders("codigo;veiculo\n1;vuc Motorbike-Bag\n2;CAR FUSCA");
  expect(known?.draft.load?.vehicles).toEqual(["MOTORBIKE_BAG", "VUC"]);
  expect(known?.errors).toEqual([]);
  expect(wrong?.errors.map((error) => error.pointer)).toEqual(["/requirements/vehicle"]);
});

test("an error is shown with the name of its column", () => {
  expect(columnName("/deliveries/0/phone", true)).toBe("telefone");
  expect(columnName("/deliveries/0/phone", false)).toBe("phone");
  expect(columnName("/deliverAt", true)).toBe("/deliverAt");
});
