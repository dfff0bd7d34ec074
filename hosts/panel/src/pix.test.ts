/** Decodes the Pix codes of the core's tests (core/src/model/pix.rs) with another implementation. */

import { hasError, type PixStaticObject, parsePix } from "pix-utils";
import { encode } from "uqr";
import { describe, expect, it } from "vitest";

const CODES = [
  {
    code: "00020126360014br.gov.bcb.pix011411222333000181520400005303986540557.905802BR5915EMPORIO CENTRAL6009SAO PAULO62160512PED1042D10116304D3EC",
    key: "11222333000181",
    name: "EMPORIO CENTRAL",
    city: "SAO PAULO",
    amount: 57.9,
    txid: "PED1042D1011",
  },
  {
    code: "00020126360014br.gov.bcb.pix0114+55119999900005204000053039865406250.005802BR5909ANA SOUZA6014RIBEIRAO PRETO62150511TOPUP1004N7630412C1",
    key: "+5511999990000",
    name: "ANA SOUZA",
    city: "RIBEIRAO PRETO",
    amount: 250,
    txid: "TOPUP1004N7",
  },
  {
    code: "00020126360014br.gov.bcb.pix011412ABC34501DE35520400005303986540510.005802BR5909LOJA NOVA6008CURITIBA62290525AAAAAAAAAAAAAAAAAAAAAAAAA63040F94",
    key: "12ABC34501DE35",
    name: "LOJA NOVA",
    city: "CURITIBA",
    amount: 10,
    txid: "A".repeat(25),
  },
  {
    // The checksum contains the ID of its own field.
    code: "00020126360014br.gov.bcb.pix011411222333000181520400005303986540557.905802BR5915EMPORIO CENTRAL6009SAO PAULO62070503D106304F63A",
    key: "11222333000181",
    name: "EMPORIO CENTRAL",
    city: "SAO PAULO",
    amount: 57.9,
    txid: "D10",
  },
];

describe("Pix codes", () => {
  it.each(CODES)("decodes the code with the reference $txid", (expected) => {
    const pix = parsePix(expected.code);
    if (hasError(pix)) throw new Error(pix.message);
    const { pixKey, merchantName, merchantCity, transactionAmount, txid } =
      pix as unknown as PixStaticObject;
    expect({
      code: expected.code,
      key: pixKey,
      name: merchantName,
      city: merchantCity,
      amount: transactionAmount,
      txid,
    }).toEqual(expected);
  });

  it("reads the checksum of a dynamic code of the same recipient", () => {
    const pix = parsePix(
      "00020101021226800014br.gov.bcb.pix2558pix.example.com/qr/v2/9d36b84f-c70b-478f-b95c-12729b90ca255204000053039865802BR5915EMPORIO CENTRAL6009SAO PAULO62070503***630479F5",
    );
    expect(hasError(pix)).toBe(false);
  });

  it("rejects a code with a changed amount", () => {
    const pix = parsePix(CODES[0]!.code.replace("57.90", "57.91"));
    expect(hasError(pix)).toBe(true);
  });

  it("fits a QR code that phones read", () => {
    for (const { code } of CODES)
      expect(encode(code, { ecc: "M" }).version).toBeLessThanOrEqual(10);
  });
});
