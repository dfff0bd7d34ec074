// Creates an order with the types of openapi-typescript.
import createClient from "openapi-fetch";
import type { paths } from "./dist/api.js";
import { baseUrl, headers, invalid, order, report } from "./order.js";

const client = createClient<paths>({ baseUrl, headers });
const created = await client.POST("/delivery/orders", { body: order("OPENAPI-TYPESCRIPT-1") });
const rejected = await client.POST("/delivery/orders", { body: invalid("OPENAPI-TYPESCRIPT-2") });
report(
  "openapi-typescript",
  created.data?.id,
  rejected.error?.code,
  rejected.error?.errors[0]?.pointer,
);
