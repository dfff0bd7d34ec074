// Creates an order with the client of @hey-api/openapi-ts.
import { client } from "./dist/hey/client.gen.js";
import { createOrder } from "./dist/hey/sdk.gen.js";
import { baseUrl, headers, invalid, order, report } from "./order.js";

client.setConfig({ baseUrl, headers });
const created = await createOrder({ body: order("HEY-API-1") });
const rejected = await createOrder({ body: invalid("HEY-API-2") });
report(
  "@hey-api/openapi-ts",
  created.data?.id,
  rejected.error?.code,
  rejected.error?.errors[0]?.pointer,
);
