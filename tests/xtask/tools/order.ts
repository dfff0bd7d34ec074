// The order that each generated client creates.
declare const process: { env: Record<string, string | undefined>; exitCode: number };

export const baseUrl = process.env.DESPACHO_URL ?? "";
export const headers = { "x-api-token": process.env.DESPACHO_KEY ?? "" };

export const order = (code: string) => ({
  code,
  preparationTime: 15,
  deliveries: [
    {
      name: "Rita",
      phone: "+5511987654321",
      onlinePayment: true,
      address: {
        street: "Rua Augusta",
        number: "1500",
        city: "São Paulo",
        state: "SP",
        latitude: -23.557,
        longitude: -46.66,
      },
    },
  ],
});

/** Prints the result, and fails unless the order was created and the invalid one has a typed error. */
export function report(
  client: string,
  id: number | undefined,
  code: string | undefined,
  pointer: string | undefined,
): void {
  console.log(`  ${client}: order ${id}, ${code} at ${pointer}`);
  if (!id || code !== "validation_failed" || pointer !== "/preparationTime") process.exitCode = 1;
}

export const invalid = (code: string) => ({ ...order(code), preparationTime: -1 });
